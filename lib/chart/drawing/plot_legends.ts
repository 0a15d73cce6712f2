import type { LegendItem } from "../chart.ts";
import { path, range, rgb } from "../d3.ts";
import { formatDay } from "../format.ts";
import { numbersOf } from "../numbers.ts";
import { theme } from "../theme.ts";
import { joined } from "../words.ts";
import type { Plot, PlotOptions } from "./observable_plot.ts";

const NAMES = ["color", "symbol", "opacity"] as const;

/** The scales whose legends {@linkcode withoutLegends} removed. */
type Asked = readonly (typeof NAMES[number])[];

/** Removes legends from the options of a panel, because Plot draws legends as HTML. */
export function withoutLegends(options: PlotOptions): { bare: PlotOptions; asked: Asked } {
  const asked = NAMES.filter((name) => options[name]?.legend);
  const bare = asked.map((name) => [name, { ...options[name], legend: false }]);
  return { bare: { ...options, ...Object.fromEntries(bare) }, asked };
}

/** Writes values of a scale, all with the same precision. */
function writerOf(values: readonly unknown[]): (value: unknown) => string {
  const numbers = values.filter((value) => typeof value === "number");
  const write = numbersOf(numbers, { unit: "count", locale: "en-US" }, "ticks");
  return (value) =>
    typeof value === "number"
      ? write(value)
      : value instanceof Date
      ? formatDay(value)
      : String(value);
}

function hex(color: unknown): string {
  return rgb(String(color)).formatHex();
}

/** The number of steps in which a continuous scale is drawn. */
const STEPS = 18;

/** Draws a continuous scale of colors as a ramp, with the values at its ends. */
function rampOf({ domain, apply }: Plot.Scale, label: string | null | undefined): LegendItem {
  const ends = [...domain ?? []];
  const [low, high] = [Number(ends[0]), Number(ends.at(-1))];
  const write = writerOf(ends);
  return {
    from: joined([label ?? "", write(ends[0])], ": "),
    label: write(ends.at(-1)),
    color: theme.ink,
    key: "ramp",
    colors: range(STEPS).map((at) => hex(apply(low + (high - low) * at / (STEPS - 1)))),
  };
}

/** Returns a name and a value for each color of a scale of categories or of steps. */
function namedColors({ type, domain = [], apply }: Plot.Scale): { name: string; value: unknown }[] {
  const values = [...domain];
  const write = writerOf(values);
  if (type !== "threshold") return values.map((value) => ({ name: write(value), value }));
  const between = values.slice(1).map((value, index) => (
    { name: `${write(values[index])} to ${write(value)}`, value: values[index] }
  ));
  const below = -Number.MAX_VALUE;
  return [
    ...apply(below) === undefined ? [] : [{ name: `below ${write(values[0])}`, value: below }],
    ...between,
    { name: `${write(values.at(-1))} or more`, value: values.at(-1) },
  ];
}

/**
 * Returns the legends of a drawn panel, and a note on legends that are missing because Plot made no scale. Plot makes no
 * scale of opacities from 0 to 1, and none of colors that are given as colors.
 */
export function legendsOf(plot: Plot.Plot, { asked, options, hollow }: {
  readonly asked: Asked;
  readonly options: PlotOptions;
  readonly hollow: boolean;
}) {
  const scaleOf = (name: "color" | "symbol") => asked.includes(name) ? plot.scale(name) : undefined;
  const [color, symbol] = [scaleOf("color"), scaleOf("symbol")];
  const discrete = color !== undefined && /ordinal|categorical|threshold/.test(color.type!);
  const same = symbol !== undefined && String(symbol.domain) === String(color?.domain);
  const items: LegendItem[] = [];
  if (color !== undefined && !discrete) {
    items.push(rampOf(color, options.color?.label));
  }
  if (discrete && !same) {
    for (const { name, value } of namedColors(color)) {
      items.push({ label: name, color: hex(color.apply(value)), key: "square" });
    }
  }
  for (const value of symbol?.domain ?? []) {
    const marker = path();
    (symbol!.apply(value) as { draw: (path: unknown, area: number) => void }).draw(marker, Math.PI);
    const ink = same ? hex(color!.apply(value)) : theme.muted;
    items.push({ label: String(value), color: ink, key: "dot", marker: String(marker), hollow });
  }
  const without = asked.filter((name) => name === "opacity" || plot.scale(name) === undefined);
  return {
    items,
    note: without.length === 0
      ? ""
      : `No legend of ${without.join(", ")}: legends show the colors and symbols of a scale.`,
  };
}
