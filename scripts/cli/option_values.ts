/**
 * The values of options as JSON has them, by the schemas of public functions.
 *
 * @module
 */
import { declaredOptions, type Schema } from "./declared_options.ts";
import { type Arguments, flagName, UsageError } from "./script.ts";

const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Splits values at commas. */
function listOf(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(",").map((each) => each.trim()));
}

/** Splits `KEY=VALUE` at commas before a further `KEY=`: a value such as `1.234,5` has a comma. */
function pairsOf(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(/,(?=[^,=]*=)/).map((each) => each.trim()));
}

/** Returns the two parts of `KEY=VALUE`, or null for another text. */
export function pairOf(text: string): readonly [string, string] | null {
  const at = text.indexOf("=");
  return at > 0 ? [text.slice(0, at), text.slice(at + 1)] : null;
}

/** Returns the values of an option as JSON has them: by the schema of the option, which the function checks. */
export function valueOf(flag: string, texts: readonly string[], schema: Schema): unknown {
  const { type, anyOf, items, additionalProperties } = schema;
  const [text = "true"] = texts;
  const words = schema.enum as readonly unknown[] | undefined;
  const isJson = /^[[{]/.test(text);
  if (anyOf !== undefined) return valueOf(flag, texts, memberFor(texts, anyOf as Schema[], isJson));
  if (isJson && (type === "array" || type === "object")) return jsonOf(flag, text);
  if (type === "array") {
    const { properties } = items as { readonly properties?: object };
    if (properties === undefined) {
      return listOf(texts).map((each) => valueOf(flag, [each], items as Schema));
    }
    // An object of two texts is written `DATE=LABEL`.
    const [key = "", value = ""] = Object.keys(properties);
    return listOf(texts).map((each) => {
      const pair = pairOf(each) ?? refuse(flag, `${key}=${value}`, each);
      return { [key]: pair[0], [value]: pair[1] };
    });
  }
  if (type === "object") {
    return Object.fromEntries(
      pairsOf(texts).map((each) => {
        const [key, value] = pairOf(each) ?? refuse(flag, "KEY=VALUE", each);
        return [key, memberOf(flag, value, additionalProperties as Schema)];
      }),
    );
  }
  // A tab is typed as the two characters \t.
  if (words !== undefined) {
    return words.find((word) => String(word) === text || (word === "\t" && text === "\\t")) ?? text;
  }
  if (type === "number" && NUMBER.test(text)) return Number(text);
  if (type === "boolean" && /^(?:true|false)$/.test(text)) return text === "true";
  return text;
}

/** Returns the options of a public function that are given, as its schema has them. `only` has names of options. */
export function optionsFrom(
  fn: string,
  given: Arguments,
  only?: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(
    declaredOptions(fn).flatMap(({ name, schema }) => {
      const flag = flagName(name);
      const isRead = schema !== null && given.has(flag) && (only?.includes(name) ?? true);
      return isRead ? [[name, valueOf(flag, given.all(flag), schema)]] : [];
    }),
  );
}

/** Returns the value of a member. Of an object of several members, a text is the unit. */
function memberOf(flag: string, text: string, schema: Schema): unknown {
  const { properties } = schema as { readonly properties?: Readonly<Record<string, Schema>> };
  if (properties === undefined) return valueOf(flag, [text], schema);
  return text.startsWith("{") ? jsonOf(flag, text) : { unit: text };
}

/** Returns the schema that the form of values fits: a record has `=`, a word is in its list, a number has digits. */
function memberFor(texts: readonly string[], schemas: readonly Schema[], isJson: boolean): Schema {
  const [text = ""] = texts;
  const of = (fits: (schema: Schema) => boolean) => schemas.find(fits);
  const isPair = isJson ? text.startsWith("{") : pairOf(text) !== null;
  const isList = texts.length > 1 || text.includes(",") || (isJson && text.startsWith("["));
  return (isPair && of(({ type, properties }) => type === "object" && (isJson || !properties))) ||
    of((schema) => (schema.enum as readonly unknown[] | undefined)?.includes(text) ?? false) ||
    (isList && of(({ type }) => type === "array")) ||
    (NUMBER.test(text) && of(({ type }) => type === "number")) ||
    of(({ type }) => type === "string" || type === "array") || schemas[0]!;
}

function jsonOf(flag: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`--${flag}: is not JSON: ${(cause as Error).message}; got ${text}`, {
      cause,
    });
  }
}

function refuse(flag: string, form: string, text: string): never {
  throw new UsageError(`--${flag}: must be ${form}; got "${text}"`);
}
