#!/usr/bin/env -S deno run --no-prompt --allow-ffi --allow-sys=cpus,networkInterfaces,hostname -R -W -N --allow-env=CHAINFRAME_BASE_URL,CHAINFRAME_TOKEN,CHAINFRAME_CACHE,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Keeps the answers of a list of questions, night by night, so that what was known when can be asked.
 *
 * @module
 */
import { answersOf, connect, type Connection, provenanceOf, restatements } from "../mod.ts";
import { checkArchive } from "./archiving/check.ts";
import { pruneArchive } from "./archiving/prune.ts";
import { type ArchivedQuestion, readQuestions } from "./archiving/questions.ts";
import { type Arguments, required, UsageError } from "./cli/arguments.ts";
import { CONNECTION_OPTIONS, tokenFrom } from "./cli/connection_options.ts";
import { runScript, type Script } from "./cli/run_script.ts";
import { print, tell } from "./cli/terminal.ts";

interface Asking {
  /** Asks, and keeps. */
  readonly service: Connection;
  /** The folder alone. */
  readonly archive: Connection;
}

function operandOf({ operands }: Arguments, name: string): string {
  const [first, ...more] = operands;
  if (first === undefined) throw new UsageError(`${name}: is required; --help says for what`);
  if (more.length > 0) throw new UsageError(`${name}: must be one; got more: ${more.join(" ")}`);
  return first;
}

/** What came of a question in this run: a word, and how much of it. */
async function newsOf(
  { ask, query, keys }: ArchivedQuestion,
  archive: Connection,
  since: Date,
): Promise<string> {
  const answers = await answersOf(ask, query, archive, { since });
  const [first] = answers.getColumn("retrieved_at").toArray() as unknown as Date[];
  const rows = `${answers.getColumn("rows").toArray().at(-1)} rows`;
  if (first! >= since) return `new: ${rows}`;
  if (!answers.getColumn("changed").toArray().includes(true)) return `unchanged: ${rows}`;
  try {
    const options = { since, ...keys === undefined ? {} : { keys } };
    const changes = (await restatements(ask, query, archive, options)).getColumn("change");
    const [changed, added, gone] = ["changed", "new", "gone"].map((word) =>
      changes.toArray().filter((each) => each === word).length
    );
    return `changed: ${changed} values changed, ${added} rows new, ${gone} rows gone; ${rows}`;
  } catch (error) {
    // Rows that no keys tell apart: that they differ is all that can be said.
    if (!(error instanceof RangeError)) throw error;
    return `changed: ${rows}`;
  }
}

async function keep(question: ArchivedQuestion, { service, archive }: Asking): Promise<string> {
  const started = new Date();
  const asked = provenanceOf(await question.ask(question.query, service));
  // What came is worth as much as what was kept of it.
  const kept = provenanceOf(await question.ask(question.query, archive));
  if (kept.sha256 !== asked.sha256 && kept.retrieved_at < started) {
    throw new Error("the answer was not kept");
  }
  return await newsOf(question, archive, started);
}

async function askAll(given: Arguments, signal: AbortSignal): Promise<number> {
  const questions = await readQuestions(operandOf(given, "QUESTIONS.json"));
  const dir = required(given, "dir");
  const file = given.one("token-file");
  const token = file === undefined ? {} : { token: await tokenFrom(file) };
  const { baseUrl, target } = connect(token);
  if (target === "sample") {
    throw new UsageError(
      "sample data is never kept: set CHAINFRAME_BASE_URL and CHAINFRAME_TOKEN to a service",
    );
  }
  const asking = {
    service: connect({
      ...token,
      cache: { dir, keep: "all", maxAge: 0 },
      onMissing: "ignore",
      signal,
    }),
    archive: connect({ baseUrl, cache: { dir, mode: "offline" }, onMissing: "ignore", signal }),
  };
  let failed = 0;
  for (const question of questions) {
    const what = `${question.call} ${JSON.stringify(question.query)}`;
    try {
      await print(`${what}: ${await keep(question, asking)}\n`);
    } catch (error) {
      if (signal.aborted || error instanceof Deno.errors.BrokenPipe) throw error;
      failed++;
      tell(`${what}: failed: ${error instanceof Error ? error.message : error}`);
    }
  }
  if (failed > 0) tell(`${failed} of ${questions.length} questions failed; the others were kept`);
  return failed === 0 ? 0 : 1;
}

const SCRIPT: Script = {
  name: "archive.ts",
  about: "Asks a list of questions and keeps every answer that differs from the one before, so " +
    "that what was known when can be asked later. Says what is new, changed and gone.",
  usage: "QUESTIONS.json --dir DIR\n  archive.ts --check DIR\n" +
    "  archive.ts --prune --keep-days N DIR [--yes]\n\n" +
    '  QUESTIONS.json is a list of { "call": "metricBreakdown", "query": { … } };\n' +
    "  call is one of the six operations, or timeline",
  options: [
    {
      title: "What to do",
      options: [
        { name: "dir", value: "DIR", about: "The folder of the archive." },
        { name: "check", about: "Verifies every digest in DIR; exit code 1 if one is wrong." },
        {
          name: "prune",
          about:
            "Of older days, the last answer of each month stays, and the newest always; says " +
            "what would go.",
        },
        { name: "keep-days", value: "N", about: "Of the last N days every answer stays." },
        { name: "yes", about: "Prunes, and does not only say what would go." },
      ],
    },
    {
      title: "Whom to ask (CHAINFRAME_BASE_URL, CHAINFRAME_TOKEN)",
      options: CONNECTION_OPTIONS.options.filter(({ name }) => name === "token-file"),
    },
  ],
  examples: [
    ["questions.json --dir answers", "Every night, from a crontab"],
    ["--check answers", "Is every answer still what it was?"],
    ["--prune --keep-days 90 answers", "What would go, if only 90 days were kept whole?"],
  ],
  async run(given, { signal }) {
    const modes = ["check", "prune"].filter((name) => given.has(name));
    if (modes.length > 1) throw new UsageError("--check and --prune: give one of them");
    const [mode] = modes;
    if (mode === undefined) return await askAll(given, signal);
    const dir = given.one("dir") ?? operandOf(given, "DIR");
    if (mode === "check") return await checkArchive(dir);
    const days = required(given, "keep-days");
    if (!/^\d+$/.test(days)) {
      throw new UsageError(`--keep-days: must be a whole number of days: ${days}`);
    }
    return await pruneArchive(dir, {
      keepDays: Number(days),
      remove: given.has("yes"),
      now: Date.now(),
    });
  },
};

if (import.meta.main) await runScript(SCRIPT);
