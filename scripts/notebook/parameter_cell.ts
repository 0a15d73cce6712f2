import { nearest, UsageError } from "../cli/arguments.ts";

/** What a parameter may be. */
type Literal = string | number | boolean | null | readonly Literal[];

/** A line of a parameter cell that sets a parameter, in its parts: before the literal, and behind it. */
interface Parameter {
  readonly name: string;
  readonly before: string;
  readonly literal: Literal;
  readonly behind: string;
  /** Whether a list without elements is one of numbers, by its annotation. */
  readonly numbers: boolean;
}

const LINE =
  /^(\s*(?:const|let)\s+([A-Za-z_$][\w$]*)\s*(?::\s*([^=]+?))?\s*=\s*)(.+?)(\s*;?\s*(?:\/\/.*)?)$/;

function literalOf(text: string): Literal | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? undefined : value as Literal;
  } catch {
    return undefined;
  }
}

function parameterIn(line: string): Parameter | undefined {
  const [, before, name, annotation = "", text, behind] = LINE.exec(line) ?? [];
  if (before === undefined || name === undefined || text === undefined) return undefined;
  const literal = literalOf(text);
  if (literal === undefined) return undefined;
  return { name, before, literal, behind: behind ?? "", numbers: annotation.includes("number") };
}

function numberIn(text: string, refuse: (allowed: string) => never): number {
  const number = text.trim() === "" ? NaN : Number(text);
  return Number.isFinite(number) ? number : refuse("must be a number");
}

function elementsIn(text: string, { name, literal, numbers }: Parameter): Literal[] {
  if (text === "") return [];
  const [first] = literal as readonly Literal[];
  const like: Parameter = {
    name,
    literal: first ?? (numbers ? 0 : ""),
    before: "",
    behind: "",
    numbers,
  };
  return text.split(",").map((element) => valueIn(element.trim(), like) as Literal);
}

/** A value given as text, read by the type of the default. */
function valueIn(text: string, parameter: Parameter): Literal {
  const { name, literal, numbers } = parameter;
  const refuse = (allowed: string): never => {
    throw new UsageError(`--set ${name}: ${allowed}: ${text}`);
  };
  if (Array.isArray(literal)) {
    const list = text.startsWith("[") ? literalOf(text) : elementsIn(text, parameter);
    return Array.isArray(list) ? list : refuse("must be a list: a,b or JSON");
  }
  if (typeof literal === "number") return numberIn(text, refuse);
  if (typeof literal === "boolean") {
    return text === "true" || (text === "false" ? false : refuse("must be true or false"));
  }
  // A default of null may be a number by its annotation; else it is a text.
  if (literal === null && text === "null") return null;
  return literal === null && numbers ? numberIn(text, refuse) : text;
}

/**
 * The source of a parameter cell with other values. Each parameter is one line, `const name = LITERAL;`
 * or `let name: type = LITERAL;`, where LITERAL is JSON: a text, a number, true or false, null, or a
 * list. All other lines stay as they are.
 *
 * @throws {UsageError} for a parameter that the cell does not have, with those it has, and for a value
 * that is not of the type of the default.
 */
export function withParameters(source: string, values: ReadonlyMap<string, string>): string {
  const lines = source.split("\n");
  const parameters = lines.map(parameterIn);
  const known = parameters.flatMap((parameter) => parameter?.name ?? []);
  for (const name of values.keys()) {
    if (known.includes(name)) continue;
    const list = known.length === 0
      ? "it has none"
      : `nearest: ${nearest(name, known)}; it has ${known.join(", ")}`;
    throw new UsageError(`--set ${name}: is no parameter of this notebook (${list})`);
  }
  return lines.map((line, index) => {
    const parameter = parameters[index];
    const text = parameter === undefined ? undefined : values.get(parameter.name);
    if (parameter === undefined || text === undefined) return line;
    const literal = JSON.stringify(valueIn(text, parameter)).replaceAll('","', '", "');
    return `${parameter.before}${literal}${parameter.behind}`;
  }).join("\n");
}
