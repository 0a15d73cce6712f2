import { frameDigest } from "../table/track/frame_digest.ts";
import { escapeMarkup } from "../table/show/html_table.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import { annotationOf, inputsOf, responseOf } from "../table/track/provenance.ts";
import type { Cell } from "./cell.ts";
import { numberTexts } from "./markdown.ts";
import { headHtml, rowHtml, tableHtml } from "./page_table.ts";
import { allSteps, recipeOf, stepText } from "./recipe.ts";

const listed = (members: Readonly<Record<string, unknown>>) =>
  Object.entries(members).map(([name, value]) =>
    `${name}: ${typeof value === "object" ? JSON.stringify(value) : value}`
  ).join("; ");

/** Returns whether a frame has sample data. */
export function isSample(frame: DataFrame | undefined): boolean {
  return frame !== undefined && annotationOf(frame)?.provenance.sample === true;
}

/** Returns what a page states about the source of a frame: its operation, and whether it has sample data. */
function operationText(frame: DataFrame): string {
  const others = inputsOf(annotationOf(frame)?.provenance).length - 1;
  return (responseOf(frame)?.operation ?? "own data") +
    (others > 0 ? ` and ${others} more` : "") + (isSample(frame) ? " (SAMPLE DATA)" : "");
}

export function valueText(value: Cell["value"]): string {
  return value instanceof Date ? value.toISOString() : String(value);
}

/** Returns the HTML of a cell in a text. Its title has its origin. `at` is its number in the table of numbers. */
export function cellHtml({ text, value, field, keys }: Cell, at: number): string {
  const title = [field, listed(keys)].filter(Boolean).join("; ");
  return `<data id="number-${at}" value="${escapeMarkup(valueText(value))}" ` +
    `title="${escapeMarkup(title)}">${escapeMarkup(text)}</data>`;
}

/** Returns the table of all numbers of a page: their text, value and origin. */
export function numbersHtml(cells: readonly Cell[], typed: readonly string[]): string {
  if (cells.length === 0) return "";
  const digests = new Map<DataFrame, string>();
  const rows = cells.map(({ text, value, field, keys, frame }, at): string => {
    const digest = digests.get(frame) ?? frameDigest(frame);
    digests.set(frame, digest);
    const provenance = annotationOf(frame)?.provenance;
    const response = responseOf(frame);
    const { recipe, why } = recipeOf(frame);
    const data = recipe === null
      ? ` data-why="${escapeMarkup(why)}"`
      : ` data-recipe="${escapeMarkup(JSON.stringify({ ...recipe, field, keys }))}"`;
    const steps = allSteps(frame)?.map(stepText) ?? [];
    return rowHtml([
      String(at + 1),
      text,
      valueText(value),
      field,
      listed(keys),
      operationText(frame),
      listed(response?.query ?? {}),
      steps.join(", "),
      provenance?.data_through?.toISOString().slice(0, 10) ?? "not stated",
      (response?.sha256 ?? "").slice(0, 16),
      digest.slice(0, 16),
    ], data);
  });
  const heads = [
    ...["", "Text", "Value", "Field", "Keys", "Operation", "Query", "Steps", "Data through"],
    ...["SHA-256 of the response", "SHA-256 of the frame"],
  ];
  const hand = typed.length === 0
    ? ""
    : `<p>Typed by hand: ${typed.map(escapeMarkup).join("; ")}.</p>`;
  return `<h2>Numbers</h2>${tableHtml("Numbers", heads.map(headHtml), rows)}${hand}`;
}

/** The texts of a chart, and what it draws. */
export interface ChartTexts {
  readonly title: string;
  readonly texts: readonly string[];
  readonly field: string;
  readonly source: DataFrame | undefined;
}

/** Returns the table of the numbers in the titles, subtitles and captions of charts. */
export function chartNumbersHtml(charts: readonly ChartTexts[]): string {
  const rows = charts.flatMap(({ title, texts, field, source }) => {
    const known = source === undefined
      ? ["", ""]
      : [operationText(source), frameDigest(source).slice(0, 16)];
    return [title, ...texts].flatMap((text) => {
      const numbers = numberTexts(text);
      return numbers.length === 0 ? [] : [rowHtml([text, numbers.join("; "), field, ...known])];
    });
  });
  if (rows.length === 0) return "";
  const heads = ["Text", "Numbers", "Field", "Operation", "SHA-256 of the frame"];
  return `<h2>Numbers in charts</h2>${tableHtml("Numbers in charts", heads.map(headHtml), rows)}`;
}
