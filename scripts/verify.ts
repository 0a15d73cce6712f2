#!/usr/bin/env -S deno run --no-prompt --allow-ffi -S=cpus,networkInterfaces,hostname -R -E=CHAINFRAME_*,HOME,XDG_CACHE_HOME,LOCALAPPDATA,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Compares the numbers in the texts of a report with its table of numbers, and the page with its side-car. With a cache or
 * a folder of own data, computes the numbers again.
 *
 * @module
 */
import { valueText } from "../lib/output/numbers_table.ts";
import { sha256 } from "../lib/platform/machine.ts";
import { readFile } from "../lib/platform/file.ts";
import { terminalText } from "../lib/platform/terminal.ts";
import { connect } from "../mod.ts";
import {
  flag,
  isMain,
  type Main,
  option,
  print,
  runProcess,
  script,
  UsageError,
} from "./cli/script.ts";
import { computeAgain } from "./verifying/compute_again.ts";
import { type PageNumber, pageNumbers } from "./verifying/page_numbers.ts";

async function textOf(path: string): Promise<string | null> {
  const bytes = await readFile(path);
  return bytes && new TextDecoder().decode(bytes);
}

/** Returns the digests in a side-car: of the file, and of the file that was there before. */
function digestsIn(sideCar: string): unknown[] {
  try {
    const { sha256, before } = JSON.parse(sideCar);
    return [sha256, before?.sha256];
  } catch {
    return [];
  }
}

const [DIFFERS, UNCHECKED] = [3, 6];

/** Computes numbers again, and returns those that differ and those that were not computed. */
async function computedAgain(
  numbers: readonly PageNumber[],
  { cache, tables }: { readonly cache?: string | undefined; readonly tables?: string | undefined },
) {
  const results = await computeAgain(numbers, {
    connection: cache === undefined ? null : (asOf) =>
      connect({
        cache: { dir: cache, mode: "offline", ...asOf === undefined ? {} : { asOf } },
        lock: "",
        onMissing: "ignore",
      }),
    tables: tables ?? null,
  });
  const [differing, not]: [string[], string[]] = [[], []];
  let same = 0;
  for (const [index, { at, field, value }] of numbers.entries()) {
    const again = results[index]!;
    if ("why" in again) not.push(`number ${at}, ${field}: not computed again: ${again.why}`);
    else if ("changed" in again) differing.push(`number ${at}, ${field}: ${again.changed}`);
    else if (valueText(again.value as never) === value) same++;
    else {
      differing.push(
        `number ${at}, ${field}: the page has ${value}, computed again ${again.value}`,
      );
    }
  }
  const count = numbers.length - not.length;
  const rest = not.length === 0 ? "" : `; ${not.length} not computed again`;
  return {
    differing,
    not,
    lines: [...differing, ...not, `${same} of ${count} as computed again${rest}`],
  };
}

export const main: Main = script({
  name: "verify.ts",
  about: "Compares the numbers in the texts of a report with its table of numbers, and the page " +
    "with its side-car. Exit code 1 if they differ. This finds accidents, not forgery.",
  usage: "REPORT.html [--cache DIR] [--tables DIR] [--permit-unchecked]",
  options: [{
    title: "Data",
    options: [
      option(
        "cache",
        "DIR",
        "Computes the numbers again from the responses in this cache or archive.",
      ),
      option(
        "tables",
        "DIR",
        "Compares the files of own data in this folder, and computes their numbers again.",
      ),
      flag("permit-unchecked", "Exit code 0 also if a number was not computed again."),
    ],
  }],
  exitCodes: [
    [DIFFERS, "with --cache or --tables: a number or a file differs"],
    [UNCHECKED, "nothing differs, but a number was not computed again"],
  ],
  examples: [
    ["june.html", "After the page was edited"],
    ["june.html --cache answers --tables data", "Computes the numbers again"],
  ],
  async run(given, io) {
    const path = given.operand("REPORT.html", "a page that save wrote");
    const html = await textOf(path);
    if (html === null) throw new UsageError(`REPORT.html: no such file: ${path}`);
    const sideCar = await textOf(`${path}.provenance.json`);
    const { numbers, problems: found } = await pageNumbers(html);
    const problems = [...found];
    if (sideCar === null) problems.push("the page has no side-car");
    else if (!digestsIn(sideCar).includes(sha256(html))) {
      problems.push("the page differs from its side-car");
    }
    const [cache, tables] = [given.one("cache"), given.one("tables")];
    const agree = problems.length === 0
      ? [
        `${numbers.length} ${
          numbers.length === 1 ? "number agrees" : "numbers agree"
        } with the table`,
      ]
      : [];
    const { differing, not, lines } = cache === undefined && tables === undefined
      ? { differing: [], not: [], lines: ["not computed again, which needs --cache or --tables"] }
      : await computedAgain(numbers, { cache, tables });
    await print(io, `${[...problems, ...agree, ...lines].map(terminalText).join("\n")}\n`);
    if (problems.length > 0) return 1;
    if (differing.length > 0) return DIFFERS;
    return not.length > 0 && !given.has("permit-unchecked") ? UNCHECKED : 0;
  },
});

if (isMain(import.meta)) await runProcess(main);
