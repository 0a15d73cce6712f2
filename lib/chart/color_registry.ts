import { checkOptions, oneOf, string } from "../platform/check_options.ts";
import { shown } from "../platform/terminal.ts";
import { DARK, SERIES_COLORS, SLATE } from "./colors.ts";

/** The number of the color of each id, by kind. A kind is a column of ids, and numbers count from 1. */
type Places = Map<string, Map<string, number>>;

let registry: Places = new Map();

/** The kind of ids whose column is not known, as in `data_id`. Their colors hold for every kind. */
const ANY = "data_id";
function placesOf(kind: string): Map<string, number> {
  return registry.get(kind) ?? new Map();
}

/** Returns the number of an id in its kind. */
function placeOf(kind: string, id: string): number | undefined {
  if (kind !== ANY) return placesOf(kind).get(id) ?? placesOf(ANY).get(id);
  return [...registry.values()].find((places) => places.has(id))?.get(id);
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
 * Returns a color for each id, and registers ids that have none. A new id gets the first color, in an order of its own,
 * that no id of its kind has. If its kind has all colors, the id gets the color that the given ids use least. Colors
 * depend little on the order of the ids, and of the charts.
 */
export function registeredColors(kind: string, ids: readonly string[]): string[] {
  const places = placesOf(kind);
  const count = SERIES_COLORS.length;
  const uses = SERIES_COLORS.map(() => 0);
  const used = new Set<number>();
  for (const known of [places, placesOf(ANY)]) {
    for (const place of known.values()) if (used.add(place).size === count) break;
  }
  const found = new Map(ids.map((id) => [id, placeOf(kind, id)]));
  for (const place of found.values()) if (place !== undefined) uses[place - 1]!++;
  const unknown = [...found].flatMap(([id, place]) => place === undefined ? [id] : []);
  const first = unknown.slice(0, count).toSorted((a, b) => hashOf(a) - hashOf(b));
  for (const id of [...first, ...unknown.slice(count)]) {
    const order = orderOf(id);
    const least = Math.min(...uses);
    const place = order.find((place) => !used.has(place)) ??
      order.find((place) => uses[place - 1] === least)!;
    used.add(place);
    uses[place - 1]!++;
    found.set(id, place);
  }
  const kept = kind === ANY ? unknown : ids;
  if (kept.length > 0) registry.set(kind, places);
  for (const id of kept) places.set(id, found.get(id)!);
  return ids.map((id) => SERIES_COLORS[found.get(id)! - 1]!);
}

/**
 * Returns the colors of all registered ids: for each column of ids, the number of each id's color in the palette of
 * twelve. A chart registers the ids that it draws in color when its function is called, largest first. An id keeps its
 * color. To keep the colors beyond this process, write them to a file and pass them to `setColors`.
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
  return Object.fromEntries(
    [...registry].map(([kind, places]) => [kind, Object.fromEntries(places)]),
  );
}

/**
 * Replaces the registered colors. Charts made later use the new colors. `setColors({})` removes all colors.
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
  registry = new Map(
    Object.entries(colors).map(([kind, places]) => {
      if (!isObject(places)) refuse(kind, example, places);
      for (const [id, place] of Object.entries(places)) {
        if (Number.isInteger(place) && SERIES_COLORS[place - 1] !== undefined) continue;
        refuse(`${kind}.${id}`, `must be a whole number from 1 to ${SERIES_COLORS.length}`, place);
      }
      return [kind, new Map(Object.entries(places))];
    }),
  );
}

const THEMES = ["light", "dark"] as const;

/**
 * Returns the color of an id in all charts, as `"#rrggbb"`. If the id has no color yet, it gets the first color, in an
 * order of its own, that no other id of its kind has.
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
     * @default {the kind of an id that has a color; else any kind}
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
  const light = id === "" ? SLATE : registeredColors(kind, [id])[0]!;
  return theme === "dark" ? DARK[light]! : light;
}
