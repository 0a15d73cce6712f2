import { checkOptions, oneOf, string } from "../platform/check_options.ts";
import { shown } from "../platform/terminal.ts";
import { DARK, SERIES_COLORS, SLATE } from "./colors.ts";

/** The number of the color of each id, by kind. A kind is a column of ids, and numbers count from 1. */
type Places = Map<string, Map<string, number>>;

/** The colors that `setColors` states. They hold in all charts. */
let stated: Places = new Map();
/** The colors with which ids were drawn first. Charts do not read them. */
let drawn: Places = new Map();

/** The kind of ids whose column is not known, as in `data_id`. Their colors hold for every kind. */
const ANY = "data_id";

/** Returns the number that `setColors` states for an id of a kind. */
function placeOf(kind: string, id: string): number | undefined {
  if (kind !== ANY) return stated.get(kind)?.get(id) ?? stated.get(ANY)?.get(id);
  return [...stated.values()].find((places) => places.has(id))?.get(id);
}

/** Returns a number for a text, spread evenly (FNV-1a with the finalizer of MurmurHash3). */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ hash >>> 16, 0x85ebca6b);
  hash = Math.imul(hash ^ hash >>> 13, 0xc2b2ae35);
  return (hash ^ hash >>> 16) >>> 0;
}

/** Returns the numbers of all colors in the order of an id, which does not depend on other ids. */
function orderOf(id: string): number[] {
  const hash = hashOf(id);
  return SERIES_COLORS.map((_, index) => ({ place: index + 1, at: hashOf(`${hash} ${index}`) }))
    .sort((a, b) => a.at - b.at).map(({ place }) => place);
}

/**
 * Returns the number of the color of each id of a chart. An id has the first color of its own order, whatever was drawn before. If two
 * ids of the chart have the same first color, one of them, by the text of the ids, has its next color that is free. From
 * the 13th id on, an id has the color that the chart uses least.
 */
function placesFor(kind: string, ids: readonly string[]): ReadonlyMap<string, number> {
  const count = SERIES_COLORS.length;
  const uses = SERIES_COLORS.map(() => 0);
  const found = new Map<string, number>();
  const take = (id: string, place: number) => {
    found.set(id, place);
    uses[place - 1]!++;
  };
  const isFree = (place: number) => uses[place - 1] === 0;
  const unknown = [...new Set(ids)].filter((id) => {
    const place = placeOf(kind, id);
    if (place !== undefined) take(id, place);
    return place === undefined;
  });
  const first = unknown.slice(0, count).toSorted((a, b) => hashOf(a) - hashOf(b));
  for (const id of first) {
    const [own] = orderOf(id) as [number];
    if (isFree(own)) take(id, own);
  }
  for (const id of [...first, ...unknown.slice(count)].filter((id) => !found.has(id))) {
    const order = orderOf(id);
    const least = Math.min(...uses);
    take(id, order.find(isFree) ?? order.find((place) => uses[place - 1] === least)!);
  }
  return found;
}

/** Returns the colors of the ids of a chart, and keeps them for `colors`. */
export function chartColors(kind: string, ids: readonly string[]): string[] {
  const found = placesFor(kind, ids);
  const places = drawn.get(kind) ?? new Map<string, number>();
  for (const [id, place] of found) if (!places.has(id)) places.set(id, place);
  if (found.size > 0) drawn.set(kind, places);
  return ids.map((id) => SERIES_COLORS[found.get(id)! - 1]!);
}

/**
 * Returns the colors of ids: for each column of ids, the number of each id's color in the palette of twelve. These are
 * the colors that `setColors` states, and those in which charts of this process drew an id first. To have these colors
 * in all charts, write them to a file and pass them to `setColors`.
 *
 * @example
 * ```ts
 * import { colors, setColors } from "@chainframe/chainframe";
 *
 * setColors({ chain_id: { alder: 1, basalt: 2 } });
 * console.log(JSON.stringify(colors())); // {"chain_id":{"alder":1,"basalt":2}}
 * setColors({});
 * ```
 *
 * @category Charts
 */
export function colors(): Record<string, Record<string, number>> {
  const kinds = new Set([...stated.keys(), ...drawn.keys()]);
  return Object.fromEntries(
    [...kinds].map((kind) => [
      kind,
      Object.fromEntries([...stated.get(kind) ?? [], ...drawn.get(kind) ?? []]),
    ]),
  );
}

/**
 * States the colors of ids. Charts made later use these colors. `setColors({})` states none, and forgets all colors.
 *
 * @example
 * ```ts
 * import { colors, plotTimeline, setColors, timeline } from "@chainframe/chainframe";
 *
 * setColors({ chain_id: { alder: 3 } });
 * const fees = await timeline({
 *   metric_ids: ["fees"],
 *   group_by: "chains",
 *   every: "quarter",
 *   from: "2025-01",
 *   to: "2025-12",
 * });
 * plotTimeline(fees);
 * console.log(colors().chain_id?.alder); // 3
 * setColors({});
 * ```
 *
 * @param colors numbers of colors, 1 to 12, by column of ids and id, as `colors` returns them
 * @throws {TypeError} when `colors` is not such an object.
 * @category Charts
 */
export function setColors(
  colors: Readonly<Record<string, Readonly<Record<string, number>>>>,
): void {
  const isObject = (value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const refuse = (path: string, rule: string, value: unknown): never => {
    throw new TypeError(`setColors: ${path}: ${rule}; got ${shown(value)}`);
  };
  const example = "must be numbers by id, such as { chain_id: { alder: 1 } }";
  if (!isObject(colors)) refuse("colors", example, colors);
  const places: Places = new Map(
    Object.entries(colors).map(([kind, places]) => {
      if (!isObject(places)) refuse(kind, example, places);
      for (const [id, place] of Object.entries(places)) {
        if (Number.isInteger(place) && SERIES_COLORS[place - 1] !== undefined) continue;
        refuse(`${kind}.${id}`, `must be a whole number from 1 to ${SERIES_COLORS.length}`, place);
      }
      return [kind, new Map(Object.entries(places))];
    }),
  );
  [stated, drawn] = [places, new Map()];
}

const THEMES = ["light", "dark"] as const;

/**
 * Returns the color of an id, as `"#rrggbb"`: the color that `setColors` states, else its own color of the palette. In a
 * chart, an id has another color only if two ids of the chart have the same.
 *
 * @example
 * ```ts
 * import { colorOf } from "@chainframe/chainframe/marks";
 *
 * console.log(colorOf("alder", { kind: "chain_id" }), colorOf("alder", { theme: "dark" }));
 * ```
 *
 * @throws {RangeError} when an option is out of range.
 * @category Charts
 */
export function colorOf(
  id: string,
  options: {
    /**
     * The column of the id, such as `"chain_id"` or `"market_sector_id"`.
     * @default {any kind}
     */
    readonly kind?: string;
    /**
     * The theme of the color.
     * @default {"light"}
     */
    readonly theme?: "light" | "dark";
  } = {},
): string {
  const { kind = ANY, theme = "light" } = checkOptions(
    options,
    { kind: string, theme: oneOf(THEMES) },
    "colorOf",
  );
  const light = id === "" ? SLATE : SERIES_COLORS[placesFor(kind, [id]).get(id)! - 1]!;
  return theme === "dark" ? DARK[light]! : light;
}
