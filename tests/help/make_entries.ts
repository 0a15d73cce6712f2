import type { Entries, NameEntry, OptionEntry } from "../../lib/help/entries.ts";
import { fieldEntries } from "../../lib/help/fields.ts";
import { OPERATIONS } from "../../lib/schema/vocabulary.ts";
import { METRICS } from "../../lib/service/datasets/metric.ts";
import * as chainframe from "../../mod.ts";

const ROOT = new URL("../../", import.meta.url);
const ENTRIES = ["mod.ts", "lib/declarations.ts"];

/** A type as `deno doc --json` describes it: its shape depends on its kind. */
interface TsType {
  readonly kind: string;
  readonly repr?: string;
  readonly value?: unknown;
}

interface Param {
  readonly kind: string;
  readonly name?: string;
  readonly optional?: boolean;
  readonly left?: Param;
  readonly tsType?: TsType | null;
}

interface Member {
  readonly name: string;
  readonly optional: boolean;
  readonly tsType?: TsType;
  readonly jsDoc?: JsDoc;
}

interface JsDoc {
  readonly doc?: string;
  readonly tags?: readonly { kind: string; value?: string; doc?: string; tsType?: TsType }[];
}

interface Declaration {
  readonly kind: string;
  readonly jsDoc?: JsDoc;
  readonly def: {
    readonly params?: readonly Param[];
    readonly returnType?: TsType;
    readonly extends?: readonly TsType[] | string;
    readonly properties?: readonly Member[];
    readonly tsType?: TsType;
  };
}

type Declarations = ReadonlyMap<string, Declaration>;

async function declarations(): Promise<Declarations> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--json", ...ENTRIES],
    cwd: ROOT,
    // Without it, types are colored.
    env: { NO_COLOR: "1" },
    stderr: "null",
  }).output();
  const { nodes } = JSON.parse(new TextDecoder().decode(stdout));
  const modules = Object.values(nodes) as {
    symbols: { name: string; declarations: Declaration[] }[];
  }[];
  const symbols = modules.flatMap(({ symbols }) => symbols);
  return new Map(symbols.map(({ name, declarations }) => [name, declarations[0]!]));
}

/** The public names in the order of the modules, each with the first word of the comment above it. */
export async function categories(): Promise<Map<string, string>> {
  const texts = await Promise.all(ENTRIES.map((path) => Deno.readTextFile(new URL(path, ROOT))));
  const text = texts.join("\n").replace(/\/\*\*[^]*?\*\//g, "");
  const found = new Map<string, string>();
  for (const part of text.split(/^\/\/ (?=\w+:)/m).slice(1)) {
    const category = part.slice(0, part.indexOf(":"));
    for (const [, names] of part.matchAll(/export (?:type )?\{([^}]*)\}/g)) {
      for (
        const name of names!.split(",").map((name) => name.replace(/^\s*type\s|.* as /, "").trim())
      ) {
        if (name !== "") found.set(name, category);
      }
    }
  }
  return found;
}

/** The category that the doc comment of each public name gives. */
export async function categoryTags(): Promise<Map<string, string | undefined>> {
  return new Map(
    [...await declarations()].map(([name, { jsDoc }]) => [
      name,
      jsDoc?.tags?.find(({ kind }) => kind === "category")?.doc,
    ]),
  );
}

/** The words of a closed list that is exported: `"24h" | "7d"`. */
function wordsOf(name: string): string | undefined {
  const list: unknown = (chainframe as Readonly<Record<string, unknown>>)[name];
  const isList = Array.isArray(list) && list.length <= 12 &&
    list.every((word) => typeof word !== "object");
  return isList ? list.map((word) => JSON.stringify(word)).join(" | ") : undefined;
}

function typeText(type: TsType | null | undefined, all: Declarations): string {
  if (type === null || type === undefined) return "unknown";
  const text = (inner: unknown) => typeText(inner as TsType, all);
  const { kind, value } = type as { kind: string; value: never };
  switch (kind) {
    case "union":
      return [...new Set((value as TsType[]).map(text))].join(" | ");
    case "intersection":
      return text((value as TsType[])[0]);
    case "array":
      return text(value).includes(" ") ? `(${text(value)})[]` : `${text(value)}[]`;
    case "tuple":
      return `[${(value as TsType[]).map(text).join(", ")}]`;
    case "typeOperator":
      return text((value as { tsType: TsType }).tsType);
    case "parenthesized":
      return text(value);
    case "literal": {
      const literal = value as { kind: string; string?: string };
      return literal.kind === "string" ? JSON.stringify(literal.string) : type.repr ?? "";
    }
    case "indexedAccess": {
      const { objType, indexType } = value as { objType: TsType; indexType: TsType };
      const { typeName } = objType.value as { typeName?: string };
      const name = (indexType.value as { string?: string } | undefined)?.string;
      const member = all.get(typeName ?? "")?.def.properties?.find((each) => each.name === name);
      if (member !== undefined) return text(member.tsType);
      return wordsOf(String(objType.value)) ?? objType.repr ?? "";
    }
    case "typeRef": {
      const { typeName, typeParams = [] } = value as { typeName: string; typeParams?: TsType[] };
      const alias = all.get(typeName);
      const words = alias?.kind === "typeAlias" ? text(alias.def.tsType) : "";
      if (/^"[^]*"$|^\d/.test(words) && words.length < 90) return words;
      const params = typeParams.map(text).join(", ");
      return params === "" ? typeName : `${typeName}<${params}>`;
    }
    case "fnOrConstructor": {
      const { params, tsType } = value as { params: Param[]; tsType: TsType };
      return `(${params.map(({ name }) => name).join(", ")}) => ${text(tsType)}`;
    }
    case "typeLiteral": {
      const { properties = [] } = value as { properties?: Member[] };
      return `{ ${
        properties.map((member) => `${member.name}: ${text(member.tsType)}`).join("; ")
      } }`;
    }
    default:
      return type.repr ?? "";
  }
}

function plain(doc: string | undefined): string {
  return (doc ?? "").trim().replace(/\{@link(?:code|plain)?\s+([^}]+)\}/g, "`$1`");
}

function optionOf({ name, optional, tsType, jsDoc }: Member, all: Declarations): OptionEntry {
  const given = jsDoc?.tags?.find(({ kind }) => kind === "default")?.value?.trim();
  return {
    name,
    // A generic parameter is there for the compiler: what a reader gives is a field.
    type: typeText(tsType, all).replace(/^Field \| $/, "a field of the answer"),
    required: !optional,
    default: given === undefined ? null : given.replace(/^\{([^]*)\}$/, "$1"),
    about: plain(jsDoc?.doc).replace(/\s+/g, " "),
  };
}

/** The members of an interface by its name; of `Omit<Query, "key">` all but the key. */
function refMembers(type: TsType, all: Declarations): OptionEntry[] {
  const { typeName, typeParams = [] } = type.value as { typeName: string; typeParams?: TsType[] };
  if (typeName === "Omit" && typeParams[0] !== undefined) {
    const left = typeText(typeParams[1], all);
    return refMembers(typeParams[0], all).filter(({ name }) => !left.includes(`"${name}"`));
  }
  const found = all.get(typeName);
  return found === undefined ? [] : membersOf(found, all);
}

/** The members of an interface, those of the ones it extends first. */
function membersOf(declaration: Declaration, all: Declarations): OptionEntry[] {
  const { extends: parents = [], properties = [], tsType } = declaration.def;
  const literal = tsType?.kind === "typeLiteral"
    ? (tsType.value as { properties: Member[] }).properties
    : [];
  const alias = tsType?.kind === "typeRef" ? refMembers(tsType, all) : [];
  const inherited = (Array.isArray(parents) ? parents as TsType[] : []).flatMap((parent) => {
    return refMembers(parent, all);
  });
  const own = [...properties, ...literal].map((member) => optionOf(member, all));
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...alias, ...inherited.filter(({ name }) => !names.has(name))];
}

/** The options of `Parameters<typeof other>[1]`: those of a parameter of another function. */
function parameterOptions({ value }: TsType, all: Declarations): OptionEntry[] {
  const { objType, indexType } = value as { objType: TsType; indexType: TsType };
  const { typeName, typeParams: [of] = [] } = objType.value as {
    typeName?: string;
    typeParams?: TsType[];
  };
  if (typeName !== "Parameters") return [];
  const { number } = indexType.value as { number: number };
  return optionsOf(paramOf(all.get(String(of?.value))!.def.params![number]!).type, all);
}

/** The options that a parameter takes: those of an interface of queries or options, or its own. */
function optionsOf(type: TsType | null | undefined, all: Declarations): OptionEntry[] {
  if (type === null || type === undefined) return [];
  if (type.kind === "intersection" || type.kind === "union") {
    return (type.value as TsType[]).flatMap((part) => optionsOf(part, all));
  }
  if (type.kind === "typeLiteral") {
    const { properties } = type.value as { properties: Member[] };
    return properties.map((member) => optionOf(member, all));
  }
  if (type.kind === "indexedAccess") return parameterOptions(type, all);
  if (type.kind !== "typeRef") return [];
  const { typeName } = type.value as { typeName: string };
  return /(Options|Query|^Omit)$/.test(typeName) ? refMembers(type, all) : [];
}

function paramOf(param: Param): { name: string; type: TsType | null | undefined } {
  const inner = param.left ?? param;
  const optional = param.kind === "assign" || inner.optional === true;
  const name = param.kind === "rest" ? `...${(param as { arg?: Param }).arg?.name}` : inner.name;
  return { name: `${name ?? "options"}${optional ? "?" : ""}`, type: inner.tsType };
}

function recordOf(name: string): NameEntry["record"] {
  const operation = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  if (name === "errorsOf") return "errors";
  return OPERATIONS.find((known) => known === operation) ?? null;
}

const KINDS: Readonly<Record<string, NameEntry["kind"]>> = {
  function: "function",
  class: "class",
  variable: "value",
};

function entryOf(name: string, category: string, all: Declarations): NameEntry {
  const declaration = all.get(name);
  if (declaration === undefined) throw new Error(`deno doc says nothing of ${name}`);
  const { def, jsDoc = {} } = declaration;
  const kind = KINDS[declaration.kind] ?? "type";
  const params = (def.params ?? []).map(paramOf);
  const tags = jsDoc.tags ?? [];
  const list = kind === "value" ? wordsOf(name) : undefined;
  const alias = declaration.kind === "typeAlias" ? typeText(def.tsType, all) : "";
  const isWords = alias !== "" && alias.length < 200 && alias !== name;
  return {
    name,
    kind,
    category,
    about: plain(jsDoc.doc) + (list === undefined ? "" : `\n\n${list}`),
    signature: kind === "function"
      ? `${name}(${params.map(({ name }) => name).join(", ")})`
      : isWords
      ? `${name} = ${alias}`
      : "",
    options: kind === "function"
      ? params.flatMap(({ type }) => optionsOf(type, all))
      : kind === "type"
      ? membersOf(declaration, all)
      : [],
    throws: tags.filter(({ kind }) => kind === "throws")
      .map(({ tsType, doc }) =>
        plain(`${tsType?.repr ?? "Error"} ${doc ?? ""}`).replace(/\s+/g, " ")
      ),
    example: tags.find(({ kind }) => kind === "example")?.doc
      ?.replace(/^[^]*?```ts[^\n]*\n([^]*?)```[^]*$/, "$1").trim() ?? null,
    record: kind === "function" ? recordOf(name) : null,
  };
}

/** Makes the entries of help from the doc comments, the schema and the service's metrics. */
export async function makeEntries(): Promise<Entries> {
  const all = await declarations();
  const order = await categories();
  return {
    names: [...order].map(([name, category]) => entryOf(name, category, all)),
    metrics: METRICS.map(({ metric_id }) => metric_id),
  };
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");
}

/** As deno fmt leaves a page. */
export async function formatted(page: string): Promise<string> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--ext", "md", "-"],
    cwd: ROOT,
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = command.stdin.getWriter();
  await writer.write(new TextEncoder().encode(page));
  await writer.close();
  return new TextDecoder().decode((await command.output()).stdout);
}

/** Writes docs/dictionary.md of the columns and metrics. */
export function dictionaryPage({ metrics }: Entries): string {
  const fields = fieldEntries({ metrics, names: [] });
  const records = [...new Set(fields.map(({ record }) => record))];
  const sections = records.map((record) => {
    const rows = fields.filter((field) => field.record === record)
      .map(({ name, dtype, unit, window, about, null: none }) => [
        `\`${name}\``,
        ...[dtype ?? "", unit ?? "", window ?? "", about, none ?? ""],
      ]);
    const title = { errors: "errorsOf", metric: "metrics" }[record] ?? record;
    return `## ${title}\n\n${table(["column", "dtype", "unit", "window", "what", "null"], rows)}`;
  });
  return `<!-- Written by deno task entries: change lib/schema/dictionary.ts. -->

# Dictionary

Every column of the operations, and every metric of the sample service. \`help(shares)\`
lists the columns of an analysis. \`usd\` is US dollars; a \`fraction\` of 0.25 is 25 %; a \`change\` of 0.25 is
25 % more than before. The formulas are in [definitions.md](service/definitions.md). In a cell:
\`help("ecosystem_tvl_30d_change")\`, or all of it as a frame by \`await dictionary()\`.

${sections.join("\n\n")}
`;
}

/** Writes docs/options.md: every public function and its options. */
export function optionsPage({ names }: Entries): string {
  const functions = names.filter(({ kind }) => kind === "function");
  const shared = names.find(({ name }) => name === "ChartOptions")!.options.map(({ name }) => name);
  const rows = functions.map(({ signature, category, options }) => {
    const isChart = category === "Charts" && options.some((option) => option.name === "theme");
    const own = options.filter((option) => !isChart || !shared.includes(option.name))
      .map((option) => option.required ? `**${option.name}**` : option.name);
    const all = isChart ? [...own, "options of charts"] : own;
    return [`\`${signature}\``, all.join(", ")];
  });
  return `<!-- Written by deno task entries: change the doc comments of the functions. -->

# Functions and options

Every public function with its options. Required options are bold. The same word means the same in every function;
\`help("limit")\` describes an option, and \`help(rankBy)\` a function.

Options of charts: ${shared.map((name) => `\`${name}\``).join(", ")}.

- \`colors: { chain_id: { base: "#0052ff" } }\` gives ids their colors, below the name of their column. A color for each theme: \`base: { light: "#0052ff", dark: "#66a3ff" }\`.
- \`locale: "de"\` writes numbers and dates of charts, \`cell\`, \`show\` and \`report\` as in a language.

${table(["function", "options"], rows)}
`;
}

/** The first sentence of a page: the line below its title. */
async function purposeOf(page: string): Promise<string> {
  const text = await Deno.readTextFile(new URL(`docs/${page}`, ROOT));
  const body = text.replace(/^<!--[^]*?-->\s*/, "").replace(/^# .*\n+/, "");
  return body.split("\n\n")[0]!.replace(/\s+/g, " ").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
}

/** llms.txt: what the library is, its functions by category, and its pages. */
export async function llmsText({ names }: Entries): Promise<string> {
  const functions = names.filter(({ kind }) => kind === "function");
  const lists = [...new Set(functions.map(({ category }) => category))].map((category) => {
    const items = functions.filter((each) => each.category === category)
      .map(({ name, about }) => `- \`${name}\`: ${about.split("\n\n")[0]!.replace(/\s+/g, " ")}`);
    return `## ${category}\n\n${items.join("\n")}`;
  });
  const purposes = async (folder: string) => {
    const pages = [...Deno.readDirSync(new URL(`docs/${folder}`, ROOT))].map(({ name }) => name)
      .filter((name) => name.endsWith(".md")).sort();
    const lines = pages.map(async (page) =>
      `- [${page.replace(".md", "")}](docs/${folder}${page}): ${await purposeOf(folder + page)}`
    );
    return (await Promise.all(lines)).join("\n");
  };
  return [
    "# chainframe",
    "> Did the incentive program work? Do users stay? Whose share grew? Crypto metrics as polars DataFrames, " +
    "with the tests and intervals that a publication needs, for Jupyter notebooks and scripts on Deno. Works without a " +
    "token on sample data, which says so. null means not known, never 0. Every frame has its " +
    "provenance and the entities that were not found.",
    "Import from `@chainframe/chainframe`. Operations are async and return a DataFrame: " +
    '`const chains = await blockchainComparison({ chain_ids: ["alder"] });`',
    ...lists,
    `## Pages\n\n${await purposes("")}`,
    `## Pages for those who run the service\n\n${await purposes("service/")}`,
  ].join("\n\n") + "\n";
}
