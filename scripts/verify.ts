#!/usr/bin/env -S deno run --no-prompt --allow-ffi -S=cpus,networkInterfaces,hostname -R -W -N -E=CHAINFRAME_*,HOME,XDG_CACHE_HOME,LOCALAPPDATA,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Compares the numbers in the texts of a report with its table of numbers, and the page with its side-car. With a cache,
 * computes the numbers again.
 *
 * @module
 */
import { valueText } from "../lib/output/numbers_table.ts";
import { sha256 } from "../lib/platform/machine.ts";
import { readFile } from "../lib/platform/file.ts";
import { terminalText } from "../lib/platform/terminal.ts";
import { connect } from "../mod.ts";
import { isMain, type Main, option, print, runProcess, script, UsageError } from "./cli/script.ts";
import { computeAgain } from "./verifying/compute_again.ts";

async function textOf(path: string): Promise<string | null> {
  const bytes = await readFile(path);
  return bytes && new TextDecoder().decode(bytes);
}

/** Returns the digest in a side-car; undefined if the side-car is damaged. */
function digestIn(sideCar: string): unknown {
  try {
    return JSON.parse(sideCar)?.sha256;
  } catch {
    return undefined;
  }
}

/** A number of a page: as in the text, and as in the table. */
interface PageNumber {
  readonly at: string;
  readonly field: string;
  readonly value: string;
  /** How it is computed again. Undefined if this is not known. */
  readonly recipe: string | undefined;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

/** Returns a text that the page has in HTML. */
function unescaped(html: string): string {
  return html.replace(/&(?:amp|lt|gt|quot|#39);/g, (each) => ENTITIES[each]!);
}

/** Returns the numbers in the table of a page, and what does not agree with the texts. */
function numbersIn(html: string) {
  const row =
    /<tr(?: data-recipe="([^"]*)")?><td>(\d+)<\/td><td>([^<]*)<\/td><td>([^<]*)<\/td><td>([^<]*)</g;
  const rows = new Map(
    [...html.matchAll(row)].map(([, recipe, ...cells]) => {
      const [at, text, value, field] = cells.map(unescaped) as [string, string, string, string];
      return [at, { at, recipe: recipe && unescaped(recipe), text, value, field }] as const;
    }),
  );
  const bound = [...html.matchAll(/<data id="number-(\d+)" value="([^"]*)"[^>]*>([^<]*)</g)]
    .map((found) => found.map(unescaped));
  const problems = bound.flatMap(([, at, value, text]) => {
    const row = rows.get(at!);
    if (row === undefined) return [`number ${at}: ${text} is not in the table`];
    if (row.text === text && row.value === value) return [];
    return [
      `number ${at}, ${row.field}: the text has ${text} (${value}), the table ${row.text} (${row.value})`,
    ];
  });
  const found = new Set(bound.map(([, at]) => at));
  const missing = [...rows.values()].filter(({ at }) => !found.has(at))
    .map(({ at, text }) => `number ${at}: ${text} is not in the text`);
  return { numbers: [...rows.values()], problems: [...problems, ...missing] };
}

const DIFFERS = 3;

/** Computes numbers again from a cache, and returns those that differ and those that were not computed. */
async function recomputed(numbers: readonly PageNumber[], dir: string) {
  const known = numbers.filter(({ recipe }) => recipe !== undefined);
  const results = await computeAgain(
    known.map(({ recipe }) => recipe!),
    (when) => connect({ cache: { dir, mode: "offline", ...when }, lock: "", onMissing: "ignore" }),
  );
  const differing = known.flatMap(({ at, field, value }, index) => {
    const again = results[index]!;
    if ("why" in again || valueText(again.value as never) === value) return [];
    return [`number ${at}, ${field}: the page has ${value}, computed again ${again.value}`];
  });
  const not = known.flatMap(({ at, field }, index) => {
    const again = results[index]!;
    return "why" in again ? [`number ${at}, ${field}: not recomputed: ${again.why}`] : [];
  });
  return { differing, not, count: known.length - not.length };
}

export const main: Main = script({
  name: "verify.ts",
  about: "Compares the numbers in the texts of a report with its table of numbers, and the page " +
    "with its side-car. Exit code 1 if they differ. This finds accidents, not forgery.",
  usage: "REPORT.html [--cache DIR]",
  options: [{
    title: "Data",
    options: [
      option(
        "cache",
        "DIR",
        "Computes the numbers again from the responses in this cache or archive.",
      ),
    ],
  }],
  exitCodes: [[DIFFERS, "with --cache: a number that was computed again differs"]],
  examples: [
    ["june.html", "After the page was edited"],
    ["june.html --cache answers", "Computes the numbers again"],
  ],
  async run(given, io) {
    const path = given.operand("REPORT.html", "a page that save wrote");
    const html = await textOf(path);
    if (html === null) throw new UsageError(`REPORT.html: no such file: ${path}`);
    const sideCar = await textOf(`${path}.provenance.json`);
    const { numbers, problems } = numbersIn(html);
    if (sideCar === null) problems.push("the page has no side-car");
    else if (digestIn(sideCar) !== sha256(html)) {
      problems.push("the page differs from its side-car");
    }
    const dir = given.one("cache");
    const none = { differing: [], not: [], count: 0 };
    const { differing, not, count } = dir === undefined ? none : await recomputed(numbers, dir);
    const agree = problems.length === 0
      ? [
        `${numbers.length} ${
          numbers.length === 1 ? "number agrees" : "numbers agree"
        } with the table`,
      ]
      : [];
    const rest = numbers.length - count;
    const again = dir === undefined
      ? "not computed again, which needs --cache"
      : `${count - differing.length} of ${count} as computed again` +
        (rest > 0 ? `; ${rest} not recomputed` : "");
    const lines = [...problems, ...agree, ...differing, ...not, again];
    await print(io, `${lines.map(terminalText).join("\n")}\n`);
    return problems.length > 0 ? 1 : differing.length > 0 ? DIFFERS : 0;
  },
});

if (isMain(import.meta)) await runProcess(main);
