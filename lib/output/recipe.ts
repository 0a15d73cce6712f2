import type { DataFrame } from "../table/columns/polars.ts";
import { annotationOf, type Step, stepsOf } from "../table/track/provenance.ts";
import { trackedPolars } from "../table/track/tracked_polars.ts";

export { FILTERS } from "../table/track/track.ts";

/** Thrown for an argument that JSON cannot represent, such as a frame. */
const NOT_PLAIN = Symbol("not plain");

/** Returns an argument as JSON. Expressions become `{ expr }`, as polars serializes them. */
function plainArgument(value: unknown): unknown {
  if (trackedPolars.Expr.isExpr(value)) {
    return { expr: JSON.parse(String(value.serialize("json"))) };
  }
  if (Array.isArray(value)) return value.map(plainArgument);
  if (typeof value === "object" && value !== null) {
    if (Object.getPrototypeOf(value) !== Object.prototype) throw NOT_PLAIN;
    const given = Object.entries(value).filter(([, each]) => each !== undefined);
    return Object.fromEntries(given.map(([name, each]) => [name, plainArgument(each)]));
  }
  const isPlain = value === null || typeof value === "string" || typeof value === "boolean" ||
    Number.isFinite(value);
  if (isPlain) return value;
  throw NOT_PLAIN;
}

/** How `verify` computes a frame again: from the response to a query or from own data, by steps with their arguments. */
export type Recipe = (ResponseOrigin | OwnOrigin) & {
  readonly steps: readonly (readonly [name: string, ...args: unknown[]])[];
};

interface ResponseOrigin {
  readonly operation: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly retrieved_at: string;
}

/** The file and the values of own data, and the options of `withSource`, or null. */
export interface OwnOrigin {
  readonly file: string | null;
  readonly file_sha256: string | null;
  readonly frame_sha256: string | null;
  readonly source: unknown;
}

function originOf(frame: DataFrame): ResponseOrigin | OwnOrigin | null {
  const { provenance, given } = annotationOf(frame) ?? {};
  if (provenance?.kind === "response") {
    const { operation, query, retrieved_at } = provenance;
    return { operation, query, retrieved_at: retrieved_at.toISOString() };
  }
  if (provenance?.kind !== "given" && provenance?.kind !== "unknown") return null;
  const { file, file_sha256 } = provenance;
  const frame_sha256 = provenance.kind === "given" ? provenance.frame_sha256 : null;
  return { file, file_sha256, frame_sha256, source: given ? plainArgument(given) : null };
}

/** Returns null if the frame has several origins, or if the arguments of a step are not known or not plain. */
export function recipeOf(frame: DataFrame): Recipe | null {
  const steps = stepsOf(frame);
  if (steps?.every(({ args }) => args !== undefined) !== true) return null;
  try {
    const made = steps.map(({ name, args }): Recipe["steps"][number] => [
      name.split(" ")[0]!,
      ...args!.map(plainArgument),
    ]);
    const origin = originOf(frame);
    return origin && { ...origin, steps: made };
  } catch (error) {
    if (error !== NOT_PLAIN) throw error;
    return null;
  }
}

/** Returns a step with its arguments, such as `compareRetention {"month":6}`. Frames are shown as `…`. */
export function stepText({ name, args = [] }: Step): string {
  const textOf = (arg: unknown) => {
    if (trackedPolars.Expr.isExpr(arg)) return String(arg);
    try {
      return JSON.stringify(plainArgument(arg));
    } catch {
      return "…";
    }
  };
  return [name, ...args.map(textOf).filter((text) => text !== "{}")].join(" ");
}
