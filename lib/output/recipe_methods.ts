/**
 * The methods of frames that a recipe may have, and the check of their arguments.
 *
 * @module
 */
import { isObject } from "../platform/check_options.ts";
import { shown } from "../platform/terminal.ts";

/** A rule for the arguments of a method: what texts, numbers and members of objects it takes. */
interface Method {
  /** The members of an object among the arguments. `*` stands for names of columns. */
  readonly members?: readonly string[];
  /** Whether frames are among the arguments. */
  readonly frames?: boolean;
}

/** The methods of frames that are steps. `agg` is a method of groupings. */
export const METHODS: ReadonlyMap<string, Method> = new Map(Object.entries<Method>({
  agg: {},
  concat: { frames: true, members: ["how"] },
  drop: {},
  dropNulls: {},
  fillNull: {},
  filter: {},
  groupBy: {},
  head: {},
  join: {
    frames: true,
    members: [
      "on",
      "leftOn",
      "rightOn",
      "how",
      "suffix",
      "coalesce",
      "nullsEqual",
      "maintainOrder",
    ],
  },
  limit: {},
  rename: { members: ["*"] },
  select: {},
  slice: { members: ["offset", "length"] },
  sort: { members: ["by", "descending", "nullsLast", "maintainOrder"] },
  tail: {},
  unique: { members: ["subset", "keep", "maintainOrder"] },
  unpivot: { members: ["variableName", "valueName"] },
  withColumn: {},
  withColumns: {},
  withRowIndex: {},
}));

/** A cross join has any number of rows. */
const JOINS = ["inner", "left", "right", "full", "outer", "semi", "anti"];

const MOST_LETTERS = 10_000;

function isScalar(value: unknown): boolean {
  return value === null || typeof value === "boolean" ||
    (typeof value === "string" && value.length <= MOST_LETTERS) ||
    (typeof value === "number" && Number.isFinite(value));
}

/** Returns whether a value is an object with one member of this name. */
export function isOnly(value: unknown, name: string): value is Readonly<Record<string, unknown>> {
  return isObject(value) && Object.keys(value).length === 1 && Object.hasOwn(value, name);
}

/** What a check does with the frames and expressions that it finds among arguments. */
export interface Placing {
  readonly frame: (recipe: unknown) => unknown;
  readonly expression: (node: unknown) => unknown;
}

/** Returns the arguments of a method, with frames and expressions in place of their JSON. */
export function methodArguments(name: string, args: readonly unknown[], found: Placing): unknown[] {
  const { frames = false, members = [] } = METHODS.get(name)!;
  const refuse = (value: unknown): never => {
    throw new RangeError(`${name}: the argument ${shown(value)} is not permitted`);
  };
  const argument = (value: unknown): unknown => {
    if (isScalar(value)) return value;
    if (Array.isArray(value)) return value.map(argument);
    if (isOnly(value, "expr")) return found.expression(value.expr);
    if (frames && isOnly(value, "recipe")) return found.frame(value.recipe);
    if (!isObject(value)) return refuse(value);
    const isColumns = members.includes("*");
    for (const [member, each] of Object.entries(value)) {
      if (!isColumns && !members.includes(member)) refuse(value);
      if (isColumns && typeof each !== "string") refuse(value);
    }
    return Object.fromEntries(
      Object.entries(value).map(([member, each]) => [member, argument(each)]),
    );
  };
  const { how = null } = Object(args[1]) as { readonly how?: unknown };
  if (name === "join" && how !== null && !JOINS.includes(how as string)) {
    throw new RangeError(`join: how: must be one of ${JOINS.join(", ")}; got ${shown(how)}`);
  }
  return args.map(argument);
}
