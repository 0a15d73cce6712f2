#!/usr/bin/env -S deno run --no-prompt --allow-ffi -S=cpus,networkInterfaces,hostname -R -W -N -E=CHAINFRAME_*,HOME,XDG_CACHE_HOME,LOCALAPPDATA,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Sends a list of queries and stores every response that has changed, so that earlier versions can be read later.
 *
 * @module
 */
import { hasCode } from "../lib/platform/file.ts";
import {
  answersOf,
  check,
  connect,
  type Connection,
  type DataFrame,
  pl,
  provenanceOf,
  restatements,
} from "../mod.ts";
import { pruneArchive, verifyArchive } from "./archiving/folder.ts";
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

/** What has changed since the start of this run. */
interface News {
  /** A line, such as `unchanged: 12 rows`. */
  readonly text: string;
  /** The changed and removed values, if they are known. */
  readonly restated?: DataFrame;
}

async function newsOf(
  { operation, query }: ArchivedQuery,
  archive: Connection,
  from: Date,
): Promise<News> {
  const answers = await answersOf({ operation, query, from }, archive);
  const [first] = answers.getColumn("retrieved_at").toArray() as unknown as Date[];
  const rows = `${answers.getColumn("rows").toArray().at(-1)} rows`;
  if (first! >= from) return { text: `new: ${rows}` };
  if (!answers.getColumn("changed").toArray().includes(true)) return { text: `unchanged: ${rows}` };
  try {
    const changes = await restatements({ operation, query, from }, archive);
    const [changed, added, gone] = ["changed", "new", "gone"].map((word) =>
      changes.getColumn("change").toArray().filter((each) => each === word).length
    );
    return {
      text: `changed: ${changed} values changed, ${added} rows new, ${gone} rows gone; ${rows}`,
      restated: changes.filter(pl.col("change").neq(pl.lit("new"))),
    };
  } catch (error) {
    // If no columns identify a row, changed values cannot be counted. The text then has only the number of rows.
    if (!(error instanceof RangeError)) throw error;
    return { text: `changed: ${rows}` };
  }
}

async function keep(
  archived: ArchivedQuery,
  { service, archive }: Awaited<ReturnType<typeof connections>>,
): Promise<News & { readonly broken: DataFrame }> {
  const started = new Date();
  const received = provenanceOf(await archived.operation(archived.query, service));
  const frame = await archived.operation(archived.query, archive);
  const kept = provenanceOf(frame);
  if (kept.sha256 !== received.sha256 && (kept.retrieved_at ?? started) < started) {
    throw new Error("the response was not stored");
  }
  const broken = check(frame).filter(pl.col("severity").eq(pl.lit("broken")));
  return { ...await newsOf(archived, archive, started), broken };
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
  const cache = { dir, maxAge: 0 };
  return {
    service: connect({ ...token, cache, allowSample, onMissing: "ignore", signal }),
    archive: connect({ baseUrl, cache: { dir, mode: "offline" }, onMissing: "ignore", signal }),
  };
}

async function keepAll(given: Arguments, io: Io): Promise<number> {
  const queries = await readQueries(given.operand("QUERIES.json", "a file; see --help"));
  const both = await connections(given, io);
  const isQuiet = given.has("exit-code");
  let [failed, restated, broken] = [0, 0, 0];
  for (const archived of queries) {
    const what = `${archived.name} ${JSON.stringify(archived.query)}`;
    try {
      const news = await keep(archived, both);
      const tables = [news.restated, news.broken].filter((frame) => frame && frame.height > 0);
      restated += news.restated?.height ?? 0;
      broken += news.broken.height;
      if (!isQuiet) await print(io, `${what}: ${news.text}\n`);
      else if (tables.length > 0) {
        await print(io, [`${what}: ${news.text}`, ...tables, ""].join("\n\n"));
      }
    } catch (error) {
      if (io.signal.aborted || hasCode(error, "EPIPE")) throw error;
      failed++;
      tell(io, `${what}: failed: ${error instanceof Error ? error.message : error}`);
    }
  }
  if (failed > 0) tell(io, `${failed} of ${queries.length} queries failed; the others were stored`);
  if (failed > 0 || !isQuiet) return failed === 0 ? 0 : 1;
  return restated > 0 && broken > 0 ? 5 : restated > 0 ? 3 : broken > 0 ? 4 : 0;
}

export const main: Main = script({
  name: "archive.ts",
  about:
    "Sends a list of queries and keeps every response that differs from the previous one. Prints " +
    "new, changed and removed values.",
  usage: "QUERIES.json --dir DIR\n  archive.ts --verify DIR\n" +
    "  archive.ts --prune --keep-days N DIR [--yes]\n\n" +
    '  QUERIES.json is a list of { "operation": "metric_breakdown", "query": { … } };\n' +
    "  operation is one of the six operations, or timeline",
  options: [
    {
      title: "Archive",
      options: [
        option("dir", "DIR", "The folder of the archive."),
        flag("allow-sample", "Stores sample data if no service is set, to try an archive."),
        flag("verify", "Compares every digest in DIR with its file; exit code 1 if one is wrong."),
        flag("exit-code", "Prints only restated values and broken rules, for a nightly job."),
        flag(
          "prune",
          "Lists the older responses: all but the last of each month and the newest.",
        ),
        option("keep-days", "N", "Keeps everything of the last N days."),
        flag("yes", "Removes what --prune lists. No other program may write to DIR meanwhile."),
      ],
    },
    { title: "Service (CHAINFRAME_BASE_URL, CHAINFRAME_TOKEN)", options: [TOKEN_FILE] },
  ],
  exitCodes: [
    [3, "with --exit-code: values were restated"],
    [4, "with --exit-code: a value cannot be right"],
    [5, "with --exit-code: both"],
  ],
  examples: [
    ["queries.json --dir answers", "Every night, from a crontab"],
    ["queries.json --dir trial --allow-sample", "Try it with sample data"],
    ["--verify answers", "Verify the archive"],
    ["--prune --keep-days 90 answers", "List what is older than 90 days"],
  ],
  async run(given, io) {
    if (given.has("verify") && given.has("prune")) {
      throw new UsageError("--verify and --prune: give one of them");
    }
    if (!given.has("verify") && !given.has("prune")) return await keepAll(given, io);
    const dir = given.one("dir") ?? given.operand("DIR", "the folder of the archive");
    if (given.has("verify")) return await verifyArchive(dir, io);
    given.required("keep-days");
    const keepDays = given.whole("keep-days", 0)!;
    return await pruneArchive(dir, { keepDays, remove: given.has("yes"), now: Date.now() }, io);
  },
});

if (isMain(import.meta)) await runProcess(main);
