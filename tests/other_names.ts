import { ok } from "node:assert/strict";
import { type DataFrame, pl } from "../mod.ts";
import { titleIn } from "../lib/table/track/descriptions.ts";
import { called, frameCases, type Names } from "./frame_cases.ts";

/** Names that the service would never give. */
export const OTHERS: readonly Names[] = [
  { entity: ["protocol"], date: "settled_on" },
  { entity: ["land"], date: "jahr" },
  { entity: ["region", "kanal"], date: "woche" },
];

export const FIRST: Names = { entity: ["protocol"], date: "date" };

/** Replaces the names of columns in a text by those of `FIRST`. */
function plainText(text: string, { entity, date }: Names): string {
  const noun = entity.join(" and ");
  const [several, one] = entity.length > 1
    ? [`values of ${noun}`, `value of ${noun}|${noun}|${entity.join(", ")}|${entity.join(" · ")}`]
    : [`${noun}s`, noun];
  const replaced = (word: string) => (found: string) =>
    /^\p{Lu}/u.test(found) ? word[0]!.toUpperCase() + word.slice(1) : word;
  // Titles name the parts of a single entity with commas.
  return text.replaceAll(/\b(DE|FR|IT), (ads|seo)\b/g, "$1 · $2")
    .replaceAll(new RegExp(`\\b(?:${several})\\b`, "gi"), replaced("protocols"))
    .replaceAll(new RegExp(`\\b(?:${one})\\b`, "gi"), replaced("protocol"))
    .replaceAll(new RegExp(`\\b(?:${date}|${date.replace("_", " ")})\\b`, "gi"), replaced("date"));
}

/** Returns rows in which the columns of the entity are one. */
function plainRows(rows: readonly Readonly<Record<string, unknown>>[], names: Names) {
  const [first, ...others] = names.entity;
  return rows.map((row) =>
    Object.entries(row).filter(([name]) => !others.includes(name)).map(([name, value]) => {
      const whole = name === first && others.every((each) => each in row)
        ? names.entity.map((each) => row[each]).join(" · ").replace("(other) · (other)", "(other)")
        : value;
      return [name === first ? "protocol" : plainText(name, names), whole];
    })
  );
}

/** Returns the numbers and texts of a result, with the names of columns of `FIRST`. */
async function plainResult(result: unknown, names: Names): Promise<string> {
  if (pl.DataFrame.isDataFrame(result)) {
    const frame = result as DataFrame;
    const keys = [...names.entity, names.entity.join(" · ")];
    const titles = frame.columns.filter((name) => !keys.includes(name))
      .map((name) => plainText(titleIn(frame, name), names));
    const rows = JSON.stringify([titles, plainRows(frame.toRecords() as never, names)]);
    return plainText(rows, names);
  }
  if (Array.isArray(result)) return JSON.stringify(plainRows(result, names));
  const { spec } = Object(result) as {
    readonly spec?: Promise<{ title: string; subtitle: string; caption: string[]; rows: object[] }>;
  };
  if (spec === undefined) return plainText(String(result), names);
  const { title, subtitle, caption, rows } = await spec;
  return plainText(JSON.stringify([title, subtitle, caption, rows?.length]), names);
}

/** Functions whose results are about the names of columns. */
const ABOUT_NAMES = ["help", "report", "sql", "provenanceOf", "show", "save"];

/** Functions that compare groups of the last of several columns within the others, or need to know the cluster. */
const OF_ONE_COLUMN = ["compareRetention", "detectable", "plotDifference", "pooledRetention"];

/** Returns the failures of calls whose results have other numbers or texts under other names of columns. */
export async function differing(
  fns: readonly string[],
  calls: (all: readonly object[]) => readonly object[],
) {
  const failures: string[] = [];
  const all = [FIRST, ...OTHERS].map((names) => ({ names, cases: frameCases(names) }));
  for (const name of fns) {
    const [expected, ...others] = await Promise.all(all.map(({ names, cases }) => {
      const each = cases[name]!;
      return Promise.all(
        calls(each.options).map(async (options) => {
          const result = await called(name, each, options).catch((error) => error.message);
          return await plainResult(result, names);
        }),
      );
    }));
    ok(expected!.some((text) => text.length > 2), name);
    others.forEach((found, at) =>
      found.forEach((text, call) => {
        if (OTHERS[at]!.entity.length > 1 && OF_ONE_COLUMN.includes(name)) return;
        if (text === expected![call]) return;
        const from = [...text].findIndex((letter, place) => letter !== expected![call]![place]);
        const part = (whole: string) => whole.slice(Math.max(0, from - 60), from + 120);
        failures.push(
          `${name} ${call} (${OTHERS[at]!.date}): ${part(text)} <> ${part(expected![call]!)}`,
        );
      })
    );
  }
  return failures;
}

/** The functions whose results are not about the names of columns. */
export const FNS = Object.keys(frameCases(FIRST)).filter((each) => !ABOUT_NAMES.includes(each));
