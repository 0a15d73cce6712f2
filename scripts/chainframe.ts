/**
 * Runs a script by name, such as `chainframe fetch`. This is the command of the npm package.
 *
 * @module
 */
import "../lib/platform/node.ts";
import process from "node:process";
import { mustBeOneOf } from "../lib/platform/check_options.ts";
import { type Main, type ProcessOptions, runProcess, script, UsageError } from "./cli/script.ts";

interface Command {
  readonly main: Main;
  readonly processOptions?: ProcessOptions;
}

const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  fetch: () => import("./fetch.ts"),
  pipe: () => import("./pipe.ts"),
  retention: () => import("./cohort_retention.ts"),
  compare: () => import("./chain_comparison.ts"),
  timeline: () => import("./timeline.ts"),
  check: () => import("./check.ts"),
  verify: () => import("./verify.ts"),
  probe: () => import("./probe.ts"),
  archive: () => import("./archive.ts"),
  report: () => import("./report.ts"),
  mcp: () => import("./mcp.ts"),
  serve: () => import("./serve.ts"),
  sample: () => import("./sample.ts"),
  build: () => import("./build.ts"),
};
const NAMES = Object.keys(COMMANDS);

/** The commands by the question that they answer. */
const QUESTIONS = `
  What are the numbers?        fetch, archive
  Any analysis or chart        pipe
  Who leads?                   compare
  How did values change?       timeline
  Do users stay?               retention
  Did it work?                 report program, report event
  Can I publish it?            report, check, verify
  Is the service as expected?  probe
  For agents                   mcp
  To run the service           sample, build, serve`;

const help = script({
  name: "chainframe",
  about: "Answers questions in the terminal. COMMAND --help shows the options of a command.",
  usage: `COMMAND [options]\n${QUESTIONS}`,
  options: [],
  examples: [
    ["fetch cohort_analysis --out cohorts.parquet", "One operation, to a file"],
    ["compare --out chains.svg", "A chart"],
    ["pipe fees.csv + shares --field fees_usd", "An analysis of your own table"],
  ],
  run(given) {
    const name = given.operand("COMMAND", `one of ${NAMES.join(", ")}`);
    throw new UsageError(`COMMAND: ${mustBeOneOf(NAMES, name)}; got "${name}"`);
  },
});

const [name = ""] = process.argv.slice(2);
if (Object.hasOwn(COMMANDS, name)) {
  const { main, processOptions } = await COMMANDS[name]!();
  await runProcess(
    ([, ...args], io) => main(args, { ...io, program: `chainframe ${name}` }),
    processOptions,
  );
} else await runProcess(help);
