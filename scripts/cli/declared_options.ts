import { loadEntries, type OptionEntry } from "../../lib/help/entries.ts";
import { flagName, type Option, option } from "./script.ts";

/** A JSON Schema of an option's values. */
export type Schema = Readonly<Record<string, unknown>>;

/** An option of a public function, as its doc comment declares it. */
export interface Declared {
  readonly name: string;
  readonly required: boolean;
  /** The schema of its values. Null for a type that JSON does not have, such as a frame or a function. */
  readonly schema: Schema | null;
  /** Whether it takes a frame. */
  readonly isFrame: boolean;
  /** The first sentence of its description. */
  readonly about: string;
  /** The default as the doc comment writes it. Null without a default. */
  readonly default: string | null;
}

const { names: ENTRIES } = await loadEntries();

const MOST_LETTERS = 90;

/** Public types that entries state by name. */
const NAMED: Readonly<Record<string, string>> = {
  Color: "string | { light: string; dark: string }",
};

/** Returns the first sentence of a description, without marks. A long one ends before a colon, a comma or a word. */
function shortened(about: string): string {
  const text = about.replaceAll("`", "").replace(/\ba Date,? or a text/, "a text")
    .split(/\.(?= |$)/)[0]!;
  if (text.length <= MOST_LETTERS) return text;
  const start = text.slice(0, MOST_LETTERS);
  const [clause] = /^[^{]{15,}(?=: )/.exec(start) ?? /^.{30,}?(?=[,;] )/.exec(start) ?? [];
  return clause ?? `${start.slice(0, start.lastIndexOf(" "))}…`;
}

/** Splits a type at a separator that is not within brackets or quotes. */
function split(type: string, separator: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const piece of type.match(/"[^"]*"|=>|[^]/g) ?? []) {
    if ("([{<".includes(piece)) depth++;
    if (")]}>".includes(piece)) depth--;
    if (depth === 0 && piece === separator) parts.push("");
    else parts[parts.length - 1] += piece;
  }
  return parts.map((part) => part.trim());
}

/** Returns the schema of an object type. All its members are optional, because entries do not state which are not. */
function objectSchema(members: string): Schema {
  const properties = split(members, ";").flatMap((member) => {
    const [, name, type] = /^(\w+)\??: ([^]*)$/.exec(member) ?? [];
    const schema = type === undefined ? null : schemaOf(type);
    return schema === null ? [] : [[name!, schema] as const];
  });
  return { type: "object", properties: Object.fromEntries(properties) };
}

/** Returns the schema of one member of a union. */
function memberSchema(type: string): Schema | null {
  const [, members] = /^\{([^]*)\}$/.exec(type) ?? [];
  if (members !== undefined) return objectSchema(members);
  if (/^\d+$/.test(type)) return { enum: [Number(type)] };
  const [, inner] = /^Readonly<(.*)>$/.exec(type) ?? [];
  if (inner !== undefined) return schemaOf(inner);
  const [, record] = /^(?:Record<string, |ById<)(.*)>$/.exec(type) ?? [];
  if (record !== undefined) {
    const values = schemaOf(record);
    return values && { type: "object", additionalProperties: values };
  }
  const [, tuple] = /^\[(.*)\]$/.exec(type) ?? [];
  if (tuple !== undefined) {
    const members = split(tuple, ",");
    const items = schemaOf(members[0]!);
    const { length } = members;
    return items && { type: "array", items, minItems: length, maxItems: length };
  }
  const [, item] = /^\(?(.*?)\)?\[\]$/.exec(type) ?? [];
  if (item !== undefined) {
    const items = schemaOf(item);
    return items && { type: "array", items };
  }
  const named = NAMED[type];
  if (named !== undefined) return schemaOf(named);
  // A field of the response is a text. A day can be given as a text.
  if (type === "a field of the answer") return { type: "string" };
  return ["string", "number", "boolean"].includes(type) ? { type } : null;
}

/** Returns the schema of a type, from the members of it that JSON has. A list of known words admits no others. */
function schemaOf(type: string): Schema | null {
  const parts = split(type, "|");
  const words = parts.filter((part) => part.startsWith('"')).map((part) => JSON.parse(part));
  const others = parts.filter((part) =>
    !part.startsWith('"') && !(words.length > 0 && part === "string")
  ).map(memberSchema).filter((schema) => schema !== null);
  const members: Schema[] = [...words.length > 0 ? [{ enum: words }] : [], ...others];
  const list = members.find((schema) => schema.type === "array");
  // A list takes one value as well.
  if (list !== undefined && !others.some((schema) => schema.type === "object")) return list;
  return members.length > 1 ? { anyOf: members } : members[0] ?? null;
}

function declared({ name, required, type, about, default: value }: OptionEntry): Declared {
  const isFrame = split(type, "|").includes("DataFrame");
  return {
    name,
    required,
    schema: schemaOf(type),
    isFrame,
    about: shortened(about),
    default: value,
  };
}

/** Returns the options of a public function. */
export function declaredOptions(fn: string): readonly Declared[] {
  const entry = ENTRIES.find(({ name }) => name === fn);
  if (entry === undefined) throw new Error(`no entry of ${fn}: run deno task entries`);
  return entry.options.map(declared);
}

/** Returns the flag of an option: `maxRequests` is `--max-requests`. */
function flagOf({ name, schema, about, default: value }: Declared): Option {
  const words = schema?.enum as readonly unknown[] | undefined;
  const placeholder = words !== undefined ? "WORD" : schema?.type === "number" ? "NUMBER" : "VALUE";
  const list = words === undefined
    ? ""
    : ` One of ${
      words.map((word) => /^[\w-]+$/.test(String(word)) ? word : JSON.stringify(word)).join(", ")
    }.`;
  const [clause] = value?.replaceAll(/[`"]/g, "").split(/[,;] /) ?? [];
  const standard = clause === undefined ? "" : ` Default: ${clause}.`;
  return option(flagName(name), placeholder, `${about}.${list}${standard}`);
}

/** Returns flags that set options of a public function, with its words: `maxRequests` is `--max-requests`. */
export function declaredFlags(fn: string, ...names: readonly string[]): Option[] {
  const all = declaredOptions(fn);
  return names.map((name) => {
    const found = all.find((each) => each.name === name);
    if (found === undefined) throw new Error(`${fn} has no option ${name}`);
    return flagOf(found);
  });
}

/** Whether a schema has lists or records, whose members a flag can repeat. */
function hasMembers({ type, anyOf }: Schema): boolean {
  return type === "array" || type === "object" ||
    ((anyOf as Schema[] | undefined)?.some(hasMembers) ?? false);
}

/** Returns a flag for each option of a public function whose values JSON has. Lists and records can be repeated. */
export function allFlags(fn: string): Option[] {
  return declaredOptions(fn).flatMap((declared): Option[] => {
    const { schema } = declared;
    if (schema === null) return [];
    const { value, ...flag } = flagOf(declared);
    if (schema.type === "boolean") return [{ ...flag, isBoolean: true }];
    const isRecord = schema.type === "object";
    return [{
      ...flag,
      value: isRecord ? "KEY=VALUE" : schema.type === "array" ? "VALUES" : value!,
      ...hasMembers(schema) && { several: true },
    }];
  });
}
