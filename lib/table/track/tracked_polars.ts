import { basename } from "node:path";
import { fileSha256 } from "../../platform/machine.ts";
import { BARE, columnsOf } from "./descriptions.ts";
import { plainly, refuseForeign } from "./member_names.ts";
import { type DataFrame, pl as polars } from "../columns/polars.ts";
import { annotateUnknown } from "./provenance.ts";
import { combined } from "./units_after_steps.ts";
import { bareOf, isLazy, isStage, type Method, type Stage, stageOf, tracked } from "./track.ts";

/** Returns the name and the digest of a file that polars reads, or null for other data. */
function fileOf(source: unknown): { file: string | null; file_sha256: string | null } {
  const path = typeof source === "string" && !source.includes("\n") ? source : null;
  try {
    if (path !== null) return { file: basename(path), file_sha256: fileSha256(path) };
  } catch {
    // The text is not the path of a file, or the file must not be read.
  }
  return { file: null, file_sha256: null };
}

/** Wraps a function of polars that makes a frame, so that the frame is tracked. Its origin is unknown. */
function own<Fn>(make: Fn): Fn {
  return ((...args: unknown[]) => {
    const made = (make as Method)(...args.map(bareOf)) as Stage;
    const [from] = args as Stage[];
    if (isStage(from) && from[BARE] !== undefined) {
      return tracked(made, [from], { name: "clone", columns: () => columnsOf(from) });
    }
    const stage = stageOf(made) as unknown as DataFrame;
    return annotateUnknown(stage, () => fileOf(from), isLazy(stage));
  }) as Fn;
}

/** Makes `value instanceof make` work. Functions of polars have no prototype. */
function withInstances<Fn>(make: Fn, value: (value: unknown) => boolean): Fn {
  return Object.defineProperty(make, Symbol.hasInstance, { value });
}

const READERS = Object.fromEntries(
  Object.entries(polars).filter(([name]) => /^(?:read|scan)/.test(name))
    .map(([name, read]) => [name, own(read)]),
);

const FUNCTIONS = new Map(Object.keys(polars).map((name) => [plainly(name), `pl.${name}`]));

/**
 * The polars library that makes all frames. Use `pl` for expressions, such as `pl.col("fees_sum")`, and to combine
 * frames. Frames that `pl.concat` returns keep the provenance of their inputs. `sql` takes the place of `pl.SQLContext`.
 *
 * @category Frames
 */
export const trackedPolars: typeof polars = Object.setPrototypeOf(
  {
    ...polars,
    ...READERS,
    DataFrame: withInstances(
      Object.assign(own(polars.DataFrame), polars.DataFrame),
      polars.DataFrame.isDataFrame,
    ),
    Series: withInstances(
      Object.assign(polars.Series.bind(null), polars.Series),
      polars.Series.isSeries,
    ),
    SQLContext: (() => {
      throw new RangeError("pl.SQLContext: use sql(query, { chains }), which keeps the sources");
    }) as unknown as typeof polars.SQLContext,
    concat: ((items: readonly object[], ...options: []) => {
      const made = polars.concat(bareOf(items) as [], ...options);
      return items.some((item) => (item as Stage)[BARE] !== undefined)
        ? tracked(made, items, {
          name: "concat",
          args: [items.slice(1), ...options],
          columns: () => combined(items),
        })
        : made;
    }) as typeof polars.concat,
  },
  new Proxy({}, {
    get(target, name) {
      refuseForeign(name, "pl", FUNCTIONS);
      return Reflect.get(target, name);
    },
  }),
);
