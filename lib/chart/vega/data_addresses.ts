import { shown } from "../../platform/terminal.ts";

/** Returns whether a value is an object of data: other objects, such as a series of polars, have members that throw. */
export function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  return Array.isArray(value) ||
    Object.getPrototypeOf(value) === Object.prototype &&
      Object.values(Object.getOwnPropertyDescriptors(value)).every(({ get }) => get === undefined);
}

/** Refuses data from an address anywhere in a spec. Vega would log an error, and draw a chart without rows. */
export function refuseAddresses(spec: object): void {
  const seen = new Set<object>();
  for (const inside: unknown[] = [spec]; inside.length > 0;) {
    const each = inside.pop();
    if (typeof each !== "object" || each === null || seen.has(each)) continue;
    if (!isPlain(each)) continue;
    seen.add(each);
    for (const [name, member] of Object.entries(each)) {
      // Rows can have members of any name.
      if (name === "values" || name === "datasets") continue;
      const data: unknown[] = name === "data" ? [member].flat() : [];
      const url = data.map((each) => isPlain(each) && "url" in each ? each.url : null)
        .find((each) => each != null);
      if (url !== undefined) {
        throw new RangeError(
          "drawVega: data.url: read it with openFrame, and pass rows as data.values; got " +
            shown(url),
        );
      }
      inside.push(member);
    }
  }
}
