import { deepEqual } from "node:assert/strict";
import type { PlotChart } from "../../lib/chart/chart.ts";

/** A mark of Plot, as a spec holds it. */
interface Mark {
  readonly ariaDescription?: string;
  readonly data?: Iterable<unknown>;
  readonly channels?: { readonly text?: { readonly value: unknown } };
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  return typeof value === "number" ? String(Number(value.toPrecision(4))) : String(value);
}

/** Returns whether a row of a line has a value. */
function isDrawn(row: unknown): boolean {
  return (row as { y?: unknown } | null)?.y !== null;
}

/** Returns the texts that a mark writes. */
function textsOf({ data = [], channels }: Mark): string[] {
  const value = channels?.text?.value;
  return value === undefined ? [] : [...data].map((row, index) =>
    textOf(
      typeof value === "function"
        ? value(row, index)
        : typeof value === "string"
        ? (row as Record<string, unknown>)[value]
        : row,
    )
  );
}

/**
 * Returns what a chart draws and says, without a picture: title, subtitle, notes without the source, legend, data rows,
 * scales of each panel, the number of drawn items of each kind of mark, and the texts of each kind.
 */
async function outOf(chart: PlotChart) {
  const { title, subtitle, caption, legend, rows, panels, columns } = await chart.spec;
  const marks = panels.flatMap(({ marks }) => (marks ?? []).flat(Infinity as 1) as Mark[])
    .filter((mark) => mark?.ariaDescription !== undefined);
  const kinds = Map.groupBy(marks, ({ ariaDescription }) => ariaDescription!);
  const scaleOf = (scale: unknown) => {
    const { type, domain = [] } = (scale ?? {}) as { type?: string; domain?: unknown[] };
    return type === "band" ? "" : [type, ...domain.map(textOf)].join(" ");
  };
  return {
    title,
    subtitle,
    columns,
    notes: caption.slice(0, -1).join(" "),
    legend: legend.map(({ label }) => label).join(", "),
    rows: rows.map((row) => Object.values(row).map(textOf).join(" ")),
    panels: panels.map(({ title }) => title),
    scales: panels.map(({ x, y }) => [scaleOf(x), scaleOf(y)].filter((text) => text).join("; ")),
    marks: Object.fromEntries(
      [...kinds].map((
        [kind, some],
      ) => [kind, some.flatMap(({ data = [] }) => [...data]).filter(isDrawn).length]),
    ),
    texts: Object.fromEntries([...kinds].map(([kind, some]) => [kind, some.flatMap(textsOf)])),
  };
}

/** What a chart must draw and say. Of `marks` and `texts`, only the kinds that are given. */
export type Out = Partial<Awaited<ReturnType<typeof outOf>>>;

/** A case of a table: what holds, the chart, and what it draws and says. */
export type Case = readonly [holds: string, draw: () => PlotChart, out: Out];

/** Makes a test of each case. */
export function testCharts(cases: readonly Case[]): void {
  for (const [holds, draw, expected] of cases) {
    Deno.test(holds, async () => {
      const out = await outOf(draw());
      const found = Object.entries(expected).map(([key, value]) => {
        const all = out[key as keyof Out];
        if (key !== "marks" && key !== "texts") return [key, all];
        const kinds = Object.keys(value as object);
        return [
          key,
          Object.fromEntries(kinds.map((kind) => [kind, (all as Out)[kind as "title"] ?? 0])),
        ];
      });
      deepEqual(Object.fromEntries(found), expected);
    });
  }
}
