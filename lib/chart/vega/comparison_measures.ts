import type { FieldWords } from "../field_words.ts";
import { formatterFor } from "../format.ts";
import { placeOn, ticksOf, valueAxis } from "../plot/axes.ts";
import { textWidth, wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";
import type { Entity } from "../plot/ranked_bars.ts";
import type { Look } from "../options.ts";
import type { VegaSpec } from "../chart.ts";

/** Chains by one of several measures: what the chart says, its rows, and how it looks. */
export interface ComparisonView extends Look {
  readonly words: readonly FieldWords[];
  /** None where no value is known. */
  readonly entities: readonly Entity[];
  /** The days that each measure tells of. */
  readonly periods: readonly string[];
  /** What the caller wants to stand above, whichever measure is shown. */
  readonly given: { readonly title: string | undefined; readonly subtitle: string | undefined };
  readonly scale: "auto" | "linear" | "log";
}

/** On which side of zero a bar is, or whether it stands for several. */
export const KINDS = ["above zero", "below zero", "other"] as const;

function kindOf(value: number | null, folded: boolean): typeof KINDS[number] {
  if (folded) return "other";
  return (value ?? 0) < 0 ? "below zero" : "above zero";
}

/** What the values that are written at the bars take beside them. */
function roomFor(texts: readonly string[]): number {
  return Math.max(10, ...texts.map((text) => textWidth(text, theme.label))) + 10;
}

/**
 * What one measure draws: its bars in its own order and its ticks, along its own axis, which lies with the room
 * for its texts between 0 and 1 of a width in pixels.
 */
export function measureOf(view: ComparisonView, index: number, width: number) {
  const { entities, words, scale, locale, format } = view;
  const { title, unit, axis: name } = words[index]!;
  const ranked = entities.toSorted((a, b) =>
    Number(a.folded) - Number(b.folded) ||
    (b.values[index] ?? -Infinity) - (a.values[index] ?? -Infinity) || 0
  );
  const values = ranked.map(({ values }) => values[index] ?? null);
  const known = values.filter((value) => value !== null);
  const single = ranked.flatMap(({ folded, values }) => folded ? [] : values[index] ?? []);
  const most = Math.max(...single);
  const axis = valueAxis(single.length > 0 ? single : known, scale);
  const style = { unit, locale, format };
  const write = formatterFor(known, style);
  const log = axis.type === "log";
  const sides = [known.filter((value) => value < 0), known.filter((value) => value >= 0)] as const;
  const before = sides[0].length === 0 ? 0 : roomFor(sides[0].map(write));
  const after = roomFor([...sides[1].map(write), "no value"]);
  const body = Math.max(60, width - before - after);
  const along = (value: number) => (before + placeOn(axis, value) * body) / (before + body + after);
  const zero = along(log ? axis.domain[0] : Math.max(axis.domain[0], 0));
  const bars = ranked.map(({ label, folded }, rank) => {
    const value = values[rank]!;
    // "Other" never towers: a sum beyond the axis is written, and not drawn.
    const drawn = value !== null && !(folded && value > most);
    const text = value === null ? (folded ? "no sum" : "no value") : write(value);
    const place = drawn ? along(value) : zero;
    return {
      chain: label,
      measure: title,
      value,
      drawn,
      text,
      rank,
      zero,
      place,
      log,
      kind: kindOf(value, folded),
    };
  });
  const at = ticksOf(axis, { style, width: body });
  const writeTick = formatterFor(at, style);
  const ticks = at.map((tick) => ({ measure: title, at: along(tick), tick: writeTick(tick) }));
  const label = [name, log ? "log scale" : ""].filter((word) => word !== "").join(", ");
  const names = ranked.map(({ label }) => label);
  return { title, bars, ticks, label, names, baseline: log ? null : zero };
}

/** A measure as it is drawn. */
export type DrawnMeasure = ReturnType<typeof measureOf>;

/** The height of a button, and the space between two. */
const BUTTON = 22;
const BETWEEN = 6;

/**
 * The measures as buttons above the plot: as marks they look the same in a notebook as in a page. Each row of
 * them is as long as there is room.
 */
export function measureButtons(
  titles: readonly string[],
  { left, width }: { left: number; width: number },
): VegaSpec[] {
  const [right, pad] = [width - left, 9];
  let [x, row] = [-left, 0];
  const placed = titles.map((measure) => {
    const room = width - 2 * pad;
    const [text = ""] = wrapText(measure, { ...theme.label, width: room, lines: 1 });
    const taken = textWidth(text, theme.label) + 2 * pad;
    if (x > -left && x + taken > right) [x, row] = [-left, row + 1];
    const at = { measure, text, row, from: x, to: x + taken };
    x += taken + BETWEEN;
    return at;
  });
  const rows = row + 1;
  const values = placed.map(({ row, ...button }) => {
    const top = (row - rows) * (BUTTON + BETWEEN) - 6;
    return { ...button, top, bottom: top + BUTTON };
  });
  const pixel = (field: string) => ({ value: { expr: `datum.${field}` } });
  const common = { cursor: "pointer", clip: false, tooltip: null };
  const shown = "datum.measure === measure";
  const choice = { condition: { test: shown, value: theme.muted }, value: theme.paper };
  return [
    {
      name: "measures",
      data: { values },
      params: [{
        name: "chosen",
        // A notebook draws marks that no key reaches: it shows this list below the chart.
        bind: { measure: { input: "select", options: titles, name: "Measure " } },
        value: [{ measure: titles[0]! }],
        select: {
          ...{ type: "point", fields: ["measure"], toggle: false, clear: false },
          on: "@measures_marks:click, @measure_names_marks:click",
        },
      }],
      mark: { type: "rect", cornerRadius: 4, strokeWidth: 1, ...common },
      encoding: {
        ...{ x: pixel("from"), x2: pixel("to"), y: pixel("top"), y2: pixel("bottom") },
        fill: choice,
        stroke: { value: theme.muted },
        description: {
          value: { expr: `${shown} ? datum.measure + ', shown' : 'show ' + datum.measure` },
        },
      },
    },
    {
      name: "measure_names",
      data: { values },
      mark: { type: "text", align: "left", baseline: "middle", dx: pad, aria: false, ...common },
      encoding: {
        ...{ x: pixel("from"), y: { value: { expr: `datum.top + ${BUTTON / 2}` } } },
        text: { field: "text", type: "nominal" },
        color: { condition: { test: shown, value: theme.paper }, value: theme.ink },
      },
    },
  ];
}
