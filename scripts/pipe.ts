#!/usr/bin/env -S deno run --no-prompt --allow-ffi -S=cpus,networkInterfaces,hostname -R -W -N -E=CHAINFRAME_*,HOME,XDG_CACHE_HOME,LOCALAPPDATA,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Runs a source and steps from the command line: a file, an address or an operation, then analyses and a chart.
 *
 * @module
 */
import { extname, join } from "node:path";
import type { Recipe, RecipeStep } from "../lib/output/recipe.ts";
import { METHODS } from "../lib/output/recipe_methods.ts";
import { fileSha256 } from "../lib/platform/machine.ts";
import { nameFlags } from "../lib/platform/statement.ts";
import { type Chart, type DataFrame, pl, provenanceOf } from "../mod.ts";
import { CONNECTION_OPTIONS, connectionOf } from "./cli/connection.ts";
import { ANALYSIS_OUTPUT, checkOutput, DRAWINGS, giveOut, reportMissing } from "./cli/output.ts";
import {
  type Arguments,
  flag,
  flagName,
  type Io,
  isMain,
  type Main,
  type OptionGroup,
  print,
  readArguments,
  runProcess,
  script,
  UsageError,
} from "./cli/script.ts";
import { begun, kindOf, sourceOptions } from "./piping/sources.ts";
import { partsOf, stepName, stepOf, stepOptions, WORD_STEPS } from "./piping/steps.ts";
import { typescriptOf } from "./piping/typescript.ts";
import { createRunner, SOURCES } from "./recipe/run_recipe.ts";
import { draws, STEPS } from "./recipe/steps.ts";

const OUTPUT: OptionGroup = {
  title: "Output, after the last step",
  options: [
    ...ANALYSIS_OUTPUT.options,
    flag("recipe", "Prints the recipe as JSON, and nothing else."),
    flag("typescript", "Prints the lines of TypeScript that do the same."),
  ],
};

/** A part of the command line: its words, and the options that it takes. */
interface Part {
  readonly word: string;
  readonly words: readonly string[];
  readonly groups: readonly OptionGroup[];
}

/** Returns the parts with their options. The last part has those of the output. */
function readParts(args: readonly string[]): Part[] {
  const parts = partsOf(args);
  return parts.map(([word = "", ...words], at): Part => {
    const output = at === parts.length - 1 ? [OUTPUT] : [];
    if (at > 0) {
      const name = stepName(word);
      return {
        word: name,
        words,
        groups: [{ title: flagName(name), options: stepOptions(name) }, ...output],
      };
    }
    const taken = new Set(output.flatMap(({ options }) => options).map(({ name }) => name));
    const own = word === "" || word.startsWith("-") ? [] : sourceOptions(word);
    const options = own.filter(({ name }) => !taken.has(name));
    return { word, words, groups: [{ title: "Source", options }, CONNECTION_OPTIONS, ...output] };
  });
}

const optionsIn = (groups: readonly OptionGroup[]) => groups.flatMap(({ options }) => options);

/** Names the step of an error, unless the error does. */
async function named<Result>(at: number, name: string, work: () => Result | Promise<Result>) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`step ${at}, ${name}: ${error.message}`, { cause: error });
  }
}

/** Whether a frame has a known source: errors are known, too. */
function isKnown(frame: DataFrame): boolean {
  try {
    return provenanceOf(frame).kind !== "unknown";
  } catch {
    return false;
  }
}

/** Returns a recipe with the time of its response, or the digest of its file. */
function dated(recipe: Recipe, frame: DataFrame, tables: string | null): Recipe {
  const { source, steps } = recipe;
  if ("operation" in source) {
    const time = provenanceOf(frame).retrieved_at?.toISOString();
    return { source: { ...source, ...time !== undefined && { retrieved_at: time } }, steps };
  }
  const { file, ...rest } = source;
  if (!file || tables === null) return recipe;
  return { source: { file, sha256: fileSha256(join(tables, file)), ...rest }, steps };
}

/** Returns an error of a step that names a value, with the flag of this value. The file of a source can have one, too. */
function flagged(error: unknown, { source, steps }: Recipe): unknown {
  if (!(error instanceof Error)) return error;
  const options = "operation" in source ? {} : source.options ?? {};
  const [, option, told] = /^openFrame: cannot read \w+: (\w+): ([^]*); got ".*?"$/.exec(
    error.message,
  ) ?? [];
  if (option !== undefined && Object.hasOwn(options, option)) {
    return new RangeError(`openFrame: ${option}: ${told}`, { cause: error });
  }
  return flaggedStep(error, steps);
}

function flaggedStep(error: Error, steps: readonly RecipeStep[]): unknown {
  const [, at, name, rest = ""] = /^step (\d+), (\w+): ([^]*)$/.exec(error.message) ?? [];
  // The words of these steps are names of columns and values.
  if (name === "where" || METHODS.has(name ?? "")) {
    return new UsageError(error.message, { cause: error });
  }
  const options = at === undefined ? {} : Object(steps[Number(at) - 1]?.[1]);
  const isNamed = Object.keys(options).some((each) => rest.startsWith(`${each}: `));
  if (isNamed || !STEPS.has(name ?? "")) return error;
  const [, missing] = /missing: (.*?);/.exec(rest) ?? [];
  const names = missing?.split(", ") ?? [];
  const has = (value: unknown, isIn: (text: string) => boolean) =>
    [value].flat().some((each) => typeof each === "string" && each !== "" && isIn(each));
  const all = Object.entries(options);
  const found = all.find(([, value]) => has(value, (text) => names.includes(text))) ??
    all.find(([, value]) => missing === undefined && has(value, (text) => rest.includes(text)));
  if (found === undefined) return error;
  const [option, value] = found;
  // An option of one column is not split at commas.
  const told = typeof value === "string" && names.includes(value) && value.includes(",")
    ? `takes one column; got ${value}`
    : rest;
  return new RangeError(`step ${at}, ${name}: ${option}: ${told}`, { cause: error });
}

async function pipe(parts: readonly Part[], given: Arguments, io: Io): Promise<void> {
  nameFlags();
  const [first, ...others] = parts as [Part, ...Part[]];
  const steps: [Part, Arguments][] = [];
  for (const [at, part] of others.entries()) {
    steps.push([
      part,
      await named(at + 1, part.word, () => readArguments(part.words, optionsIn(part.groups))),
    ]);
  }
  const output = steps.at(-1)?.[1] ?? given;
  const last = others.at(-1)?.word;
  const isDrawn = last !== undefined && draws(last);
  const isPrinted = output.has("recipe") || output.has("typescript");
  const outs = output.all("out");
  await checkOutput(output, isDrawn ? "analysis" : "frame");
  if (isDrawn && outs.length === 0 && !isPrinted) {
    throw new UsageError(`--out: is required: ${flagName(last)} draws a chart`);
  }
  const isStated = others[0]?.word === "withSource";
  const { source, steps: before, tables, file } = await begun(first.word, given, { io, isStated });
  const connection = await connectionOf(given, io.signal);
  const run = createRunner({ connection: () => connection, tables, given: file });
  const made: RecipeStep[] = [...before];
  const runFlagged = (recipe: Recipe) =>
    run(recipe).catch((error) => {
      throw counted(flagged(error, recipe), before.length);
    });
  const frameAt = (count: number) =>
    runFlagged({ source, steps: made.slice(0, count) }) as Promise<DataFrame>;
  for (const [at, [part, read]] of steps.entries()) {
    const step = await named(
      at + 1,
      part.word,
      () => stepOf(part.word, read, () => frameAt(made.length)),
    );
    made.push(step);
  }
  const recipe = { source, steps: made };
  const result = await runFlagged(recipe);
  const opened = await frameAt(before.length);
  if (output.has("recipe")) {
    return await print(io, `${JSON.stringify(dated(recipe, opened, tables), null, 2)}\n`);
  }
  if (output.has("typescript")) return await print(io, typescriptOf(recipe, { tables, out: outs }));
  if (isKnown(opened)) await reportMissing(opened, output, io);
  const isFrame = pl.DataFrame.isDataFrame(result);
  const frame = isFrame ? result as DataFrame : await frameAt(made.length - 1);
  const chart = isFrame ? {} : { chart: () => result as Chart };
  if (!isDrawn && outs.some((path) => DRAWINGS.includes(extname(path).toLowerCase()))) {
    throw new UsageError("--out: the last step draws no chart");
  }
  await giveOut({ frame, ...chart, source: frame }, output, io).catch((error) => {
    // A chart is computed when it is drawn.
    const isOfStep = error instanceof RangeError && error.message.startsWith(`${last}: `);
    throw isOfStep
      ? new RangeError(`step ${steps.length}, ${error.message}`, { cause: error })
      : error;
  });
}

/** Returns an error whose step is counted without those that the source stands for. */
function counted(error: unknown, before: number): unknown {
  if (!(error instanceof Error) || before === 0) return error;
  const [, at, rest] = /^step (\d+), ([^]*)$/.exec(error.message) ?? [];
  if (at === undefined) return error;
  const place = Number(at) - before;
  const message = place > 0 ? `step ${place}, ${rest}` : rest!;
  return error instanceof UsageError
    ? new UsageError(message, { cause: error })
    : new RangeError(message, { cause: error });
}

/** The steps of the help, by kind. */
function stepsText(): string {
  const words = Object.keys(WORD_STEPS).concat("where", "withSource").map(flagName);
  const others = [...STEPS].map(flagName).filter((name) => !words.includes(name));
  const analyses = others.filter((name) => !draws(stepName(name)));
  const charts = others.filter((name) => draws(stepName(name)));
  const lines = ([["Rows", words], ["Analyses", analyses], ["Charts", charts]] as const)
    .map(([title, names]) => `  ${title}: ${names.join(", ")}`);
  return `\n\nSteps (+ STEP --help shows its options)\n${
    lines.map(wrap).join("\n")
  }\n\nOperations\n${wrap(`  ${SOURCES.map(flagName).join(", ")}`)}`;
}

function wrap(line: string): string {
  const rows = [""];
  for (const word of line.trim().split(" ")) {
    if (rows.at(-1)!.length + word.length > 74) rows.push("");
    rows[rows.length - 1] += `${rows.at(-1) === "" ? "" : " "}${word}`;
  }
  return rows.map((row, at) => `${at === 0 ? "  " : "    "}${row}`).join("\n");
}

const ABOUT =
  "Runs a source and steps: a file, an address, an operation or a recipe, then analyses " +
  "and a chart. Prints the frame, or writes it and the chart to files.";

/** Returns the usage of a part whose help was asked for. */
function usageOf({ word }: Part, at: number): string {
  if (at === 0) {
    return `SOURCE [options] + STEP [options] + …${
      word.startsWith("-") || word === "" ? stepsText() : ""
    }`;
  }
  const method = WORD_STEPS[word];
  const words = method?.words ?? (word === "where" ? "COLUMN=VALUES" : "");
  const more = word === "where"
    ? "\n\n  protocol=aave,lido  one of these values\n  protocol!=aave      another value\n  fees=100..200       from 100 to 200, both included\n  day=2025-03..       from March 2025 on\n  protocol=           no value"
    : "";
  return `SOURCE + ${flagName(word)} ${words || "[options]"}${more}`;
}

export const main: Main = async (args, io) => {
  let parts: Part[] = [];
  let wrong: unknown;
  try {
    parts = readParts(args);
  } catch (error) {
    wrong = error;
  }
  const helped = parts.findIndex(({ word, words }) =>
    [word, ...words].some((each) => /^(?:--help|-h)$/.test(each))
  );
  const shown = parts[Math.max(0, helped)] ??
    { word: "", words: [], groups: [CONNECTION_OPTIONS, OUTPUT] };
  const isStep = helped > 0;
  const run = script({
    name: "pipe.ts",
    about: isStep
      ? WORD_STEPS[shown.word]?.about ?? `Options of the step ${flagName(shown.word)}.`
      : ABOUT,
    usage: usageOf(shown, Math.max(0, helped)),
    // Errors name the options of all steps.
    options: helped >= 0
      ? shown.groups.filter(({ options }) => options.length > 0)
      : parts.flatMap(({ groups }) => groups),
    reads: helped >= 0 ? [] : parts[0]?.groups ?? [],
    examples: [
      [
        'fees.csv --citation "Own node" + resample --every month --how sum + shares --field fees_usd',
        "Shares of months, of own daily rows",
      ],
      [
        "cohort-analysis + retention-curves + pooled-retention --by market_sector_id + plot-retention --out r.svg",
        "A chart of an operation",
      ],
      [
        "fees.csv + where protocol=aave fees_usd=100.. + sort fees_usd --descending",
        "Rows of a table",
      ],
    ],
    async run(given, streams) {
      if (wrong !== undefined) throw wrong;
      const { word } = parts[0]!;
      if (word === "" || word.startsWith("-")) {
        throw new UsageError("SOURCE: is required: a file, an address, a recipe or an operation");
      }
      if (kindOf(word) === "recipe" && parts.length === 0) {
        throw new UsageError("SOURCE: is required");
      }
      if (given.operands.length > 0) {
        const words = given.operands.join(" ");
        throw new UsageError(`SOURCE: expected one; got also ${words}; lists take commas`);
      }
      await pipe(parts, given, streams);
    },
  });
  const version = parts[0]?.word === "--version";
  return await run(helped >= 0 ? ["--help"] : version ? ["--version"] : parts[0]?.words ?? [], io);
};

if (isMain(import.meta)) await runProcess(main);
