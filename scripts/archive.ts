#!/usr/bin/env -S deno run --no-prompt --allow-ffi --allow-sys=cpus,networkInterfaces,hostname -R -W -N --allow-env=CHAINFRAME_BASE_URL,CHAINFRAME_TOKEN,CHAINFRAME_CACHE,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Sends a list of queries and stores every response that has changed, so that earlier versions can be read later.
 *
 * @module
 */
import { hasCode } from "../lib/platform/file.ts";
import { answersOf, connect, type Connection, provenanceOf, restatements } from "../mod.ts";
import { checkArchive, pruneArchive } from "./archiving/folder.ts";
import { type ArchivedQuery, readQueries } from "./archiving/queries.ts";
import { TOKEN_FILE, tokenOf } from "./cli/connection.ts";
import {
  type Arguments,
  flag,
  type Io,
  isMain,
  type Main,
  option,
  print,
  runProcess,
  script,
  tell,
  UsageError,
} from "./cli/script.ts";

/** Returns the report line of one query: what has changed since the start of this run, such as `unchanged: 12 rows`. */
async function newsOf(
  { operation, query, keys }: ArchivedQuery,
  archive: Connection,
  from: Date,
): Promise<string> {
  const answers = await answersOf({ operation, query, from }, archive);
  const [first] = answers.getColumn("retrieved_at").toArray() as unknown as Date[];
  const rows = `${answers.getColumn("rows").toArray().at(-1)} rows`;
  if (first! >= from) return `new: ${rows}`;
  if (!answers.getColumn("changed").toArray().includes(true)) return `unchanged: ${rows}`;
  try {
    const asked = { operation, query, from, ...keys === undefined ? {} : { keys } };
    const changes = (await restatements(asked, archive)).getColumn("change");
    const [changed, added, gone] = ["changed", "new", "gone"].map((word) =>
      changes.toArray().filter((each) => each === word).length
    );
    return `changed: ${changed} values changed, ${added} rows new, ${gone} rows gone; ${rows}`;
  } catch (error) {
    // If no columns identify a row, changed values cannot be counted. The text then has only the number of rows.
    if (!(error instanceof RangeError)) throw error;
    return `changed: ${rows}`;
  }
}

async function keep(
  archived: ArchivedQuery,
  { service, archive }: Awaited<ReturnType<typeof connections>>,
): Promise<string> {
  const started = new Date();
  const received = provenanceOf(await archived.operation(archived.query, service));
  const kept = provenanceOf(await archived.operation(archived.query, archive));
  if (kept.sha256 !== received.sha256 && kept.retrieved_at < started) {
    throw new Error("the response was not stored");
  }
  return await newsOf(archived, archive, started);
}

/** Returns two connections: `service` stores responses, and `archive` only reads the folder. */
async function connections(given: Arguments, { signal }: Io) {
  const dir = given.required("dir");
  const token = await tokenOf(given);
  const allowSample = given.has("allow-sample");
  const { baseUrl, target } = connect(token);
  if (target === "sample" && !allowSample) {
    throw new UsageError(
      "set CHAINFRAME_BASE_URL and CHAINFRAME_TOKEN to a service, or store sample data with --allow-sample",
    );
  }
  const cache = { dir, keep: "all" as const, maxAge: 0 };
  return {
    service: connect({ ...token, cache, allowSample, onMissing: "ignore", signal }),
    archive: connect({ baseUrl, cache: { dir, mode: "offline" }, onMissing: "ignore", signal }),
  };
}

async function keepAll(given: Arguments, io: Io): Promise<number> {
  const queries = await readQueries(given.operand("QUERIES.json", "a file; see --help"));
  const both = await connections(given, io);
  let failed = 0;
  for (const archived of queries) {
    const what = `${archived.name} ${JSON.stringify(archived.query)}`;
    try {
      await print(io, `${what}: ${await keep(archived, both)}\n`);
    } catch (error) {
      if (io.signal.aborted || hasCode(error, "EPIPE")) throw error;
      failed++;
      tell(io, `${what}: failed: ${error instanceof Error ? error.message : error}`);
    }
  }
  if (failed > 0) tell(io, `${failed} of ${queries.length} queries failed; the others were stored`);
  return failed === 0 ? 0 : 1;
}

export const main: Main = script({
  name: "archive.ts",
  about:
    "Sends a list of queries and keeps every response that differs from the previous one. Prints " +
    "new, changed and removed values.",
  usage: "QUERIES.json --dir DIR\n  archive.ts --check DIR\n" +
    "  archive.ts --prune --keep-days N DIR [--yes]\n\n" +
    '  QUERIES.json is a list of { "operation": "metric_breakdown", "query": { … } };\n' +
    "  operation is one of the six operations, or timeline",
  options: [
    {
      title: "Archive",
      options: [
        option("dir", "DIR", "The folder of the archive."),
        flag("allow-sample", "Stores sample data if no service is set, to try an archive."),
        flag("check", "Verifies every digest in DIR; exit code 1 if one is wrong."),
        flag(
          "prune",
          "Lists the older responses: all but the last of each month and the newest.",
        ),
        option("keep-days", "N", "Keeps everything of the last N days."),
        flag("yes", "Removes the files that --prune lists."),
      ],
    },
    { title: "Service (CHAINFRAME_BASE_URL, CHAINFRAME_TOKEN)", options: [TOKEN_FILE] },
  ],
  examples: [
    ["queries.json --dir answers", "Every night, from a crontab"],
    ["queries.json --dir trial --allow-sample", "Try it with sample data"],
    ["--check answers", "Verify the archive"],
    ["--prune --keep-days 90 answers", "List what is older than 90 days"],
  ],
  async run(given, io) {
    if (given.has("check") && given.has("prune")) {
      throw new UsageError("--check and --prune: give one of them");
    }
    if (!given.has("check") && !given.has("prune")) return await keepAll(given, io);
    const dir = given.one("dir") ?? given.operand("DIR", "the folder of the archive");
    if (given.has("check")) return await checkArchive(dir, io);
    given.required("keep-days");
    const keepDays = given.whole("keep-days", 0)!;
    return await pruneArchive(dir, { keepDays, remove: given.has("yes"), now: Date.now() }, io);
  },
});

if (isMain(import.meta)) await runProcess(main);
