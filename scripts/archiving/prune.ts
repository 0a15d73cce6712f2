import { print } from "../cli/terminal.ts";
import { type HeaderFile, namedAnswers, readFolder } from "./folder.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;

/** What to take out of an archive. */
export interface Pruning {
  /** Of so many days every answer stays. */
  readonly keepDays: number;
  /** Whether to remove, and not only to say what would be. */
  readonly remove: boolean;
  readonly now: number;
}

/** The headers of one question that go: of each older month all but the last, and never the newest. */
function goingOf(headers: readonly HeaderFile[], before: number): HeaderFile[] {
  const dated = headers.filter(({ time }) => time !== null)
    .sort((a, b) => a.time!.getTime() - b.time!.getTime());
  const older = dated.filter(({ time }) => time!.getTime() < before);
  const last = new Map(older.map((header) => [header.time!.toISOString().slice(0, 7), header]));
  return older.filter((header) => ![...last.values(), dated.at(-1)].includes(header));
}

/** The answers that no header of what stays names, but for those that were written just now. */
async function unnamedIn(dir: string, going: ReadonlySet<string>, now: number): Promise<string[]> {
  const { headers, answers } = await readFolder(dir);
  const named = await namedAnswers(dir, headers.filter(({ name }) => !going.has(name)));
  const unnamed = answers.filter((name) => !named.has(name));
  const written = await Promise.all(
    unnamed.map(async (name) => (await Deno.stat(`${dir}/${name}`)).mtime?.getTime() ?? now),
  );
  // Another writer may be about to name it.
  return unnamed.filter((_, index) => now - written[index]! > HOUR);
}

/** Takes older answers out of an archive, or says which it would take. */
export async function pruneArchive(
  dir: string,
  { keepDays, remove, now }: Pruning,
): Promise<number> {
  const { headers } = await readFolder(dir);
  const before = Math.floor(now / DAY) * DAY - keepDays * DAY;
  const questions = Map.groupBy(headers, ({ stem }) => stem);
  const going = new Set(
    [...questions.values()].flatMap((each) => goingOf(each, before))
      .map(({ name }) => name),
  );
  if (remove) { for (const name of going) await Deno.remove(`${dir}/${name}`); }
  // After the headers: an answer without one is a leftover, a header without its answer is damage.
  const answers = await unnamedIn(dir, going, now);
  if (remove) { for (const name of answers) await Deno.remove(`${dir}/${name}`); }
  for (const name of [...going, ...answers]) await print(`${name}\n`);
  const what = `${going.size} headers and ${answers.length} answers`;
  await print(remove ? `${what} were removed\n` : `${what} would be removed: --yes removes them\n`);
  return 0;
}
