import { print, tell } from "../cli/terminal.ts";
import { type Folder, type HeaderFile, readFolder, readHeader } from "./folder.ts";

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** What is wrong with a header or with the answer that it names; undefined when nothing is. */
async function faultOf(
  { name, stem, time, digest }: HeaderFile,
  { dir }: Folder,
  digests: Map<string, Promise<string | null>>,
): Promise<string | undefined> {
  const header = await readHeader(dir, name);
  if (header === null) return "is no header of this version";
  const { retrieved_at, answer, bytes, sha256 } = header;
  if (answer !== `${stem}.${sha256.slice(0, 16)}.body.json`) {
    return `names an answer that is not its own: ${answer}`;
  }
  if (digest !== null && digest !== sha256.slice(0, 16)) {
    return "has the digest of another answer in its name";
  }
  if (time !== null && time.toISOString() !== retrieved_at) {
    return `has another time in its name than inside: ${retrieved_at}`;
  }
  const found = digests.get(answer) ?? Deno.readFile(`${dir}/${answer}`).then(
    async (read) => `${read.length} ${await digestOf(read)}`,
    () => null,
  );
  digests.set(answer, found);
  const there = await found;
  if (there === null) return `has no answer: ${answer}`;
  return there === `${bytes} ${sha256}` ? undefined : `has an answer that was changed: ${answer}`;
}

/** Verifies every digest of an archive; gives back the exit code. */
export async function checkArchive(dir: string): Promise<number> {
  const folder = await readFolder(dir);
  const digests = new Map<string, Promise<string | null>>();
  let faults = 0;
  for (const header of folder.headers) {
    const fault = await faultOf(header, folder, digests);
    if (fault === undefined) continue;
    faults++;
    tell(`${header.name}: ${fault}`);
  }
  const unnamed = folder.answers.filter((name) => !digests.has(name));
  for (const name of unnamed) tell(`${name}: no header names it (a writer may have been killed)`);
  if (folder.halves.length > 0) tell(`${folder.halves.length} files are halves of killed writers`);
  const questions = new Set(folder.headers.map(({ stem }) => stem)).size;
  const staying = folder.headers.filter(({ time }) => time !== null).length;
  await print(
    `${questions} questions, ${staying} answers that stay, ${digests.size} files of answers: ${
      faults === 0 ? "every digest is right" : `${faults} headers are wrong`
    }\n`,
  );
  return faults === 0 ? 0 : 1;
}
