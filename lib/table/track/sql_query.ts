import { shown } from "../../platform/terminal.ts";

/**
 * The tokens of a query, in the order in which they are tried. A quote or a dollar sign directly after a letter, a digit
 * or `&` is not a token, because polars reads `x'41'` and `u&'41'` as texts of other kinds.
 */
const TOKEN = new RegExp(
  [
    String.raw`(?<space>\s+|--[^\n]*)`,
    String.raw`(?<comment>\/\*)`,
    String
      .raw`(?<number>(?:0x[\da-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?![\p{Alphabetic}\d_.]))`,
    String.raw`(?<word>[\p{Alphabetic}_][\p{Alphabetic}\d_]*)`,
    String.raw`(?<![\p{Alphabetic}\d_&])(?:'(?<text>[^']*(?:''[^']*)*)'`,
    String.raw`"(?<name>[^"]*(?:""[^"]*)*)"`,
    "`(?<ticked>[^`]*(?:``[^`]*)*)`",
    String.raw`\$(?<tag>[\p{Alphabetic}\d_]*)\$(?<dollars>[^]*?)\$\k<tag>\$)`,
    String
      .raw`(?<sign>->>?|\/\/|\|\||==?|!~~?\*?|!=|<=>|<[=>]?|>=?|::?|\^@?|~~?\*?|[-+*/%|&.,;()[\]])`,
  ].join("|"),
  "uy",
);

interface Token {
  /** `name` is a quoted name. `sign` is an operator or punctuation. */
  readonly kind: "word" | "name" | "text" | "number" | "sign";
  /** A word in lower case, the content of a name or text, or a sign. */
  readonly value: string;
  /** The token as polars reads it, after a space or line breaks. */
  readonly written: string;
}

/** Throws the error for a query that must not run. */
type Refuse = (rule: string) => never;

/** Returns the index after the comment that begins at `start`. In polars, comments can contain comments. */
function endOfComment(query: string, start: number, refuse: Refuse): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  for (let depth = 0;;) {
    const mark = marks.exec(query) ?? refuse("has a comment without an end");
    depth += mark[0] === "/*" ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
}

function tokenOf(
  { number, word, sign, name, ticked, text, dollars }: Partial<Record<string, string>>,
): Token {
  const made = (kind: Token["kind"], value: string, written = value): Token => ({
    kind,
    value,
    written,
  });
  if (number !== undefined) return made("number", number);
  if (word !== undefined) return made("word", word.toLowerCase(), word);
  if (sign !== undefined) return made("sign", sign);
  const inName = name?.replaceAll('""', '"') ?? ticked?.replaceAll("``", "`");
  if (inName !== undefined) return made("name", inName, `"${inName.replaceAll('"', '""')}"`);
  const inText = text?.replaceAll("''", "'") ?? dollars!;
  return made("text", inText, `'${inText.replaceAll("'", "''")}'`);
}

/** Splits a query into tokens. A comment becomes a space, and line breaks stay, so that polars counts the same lines. */
function tokensOf(query: string, refuse: Refuse): Token[] {
  const tokens: Token[] = [];
  let breaks = 0;
  for (let at = 0; at < query.length;) {
    TOKEN.lastIndex = at;
    const { groups = {} } = TOKEN.exec(query) ??
      refuse(`has characters that are no SQL token, from ${shown(query.slice(at, at + 20))} on`);
    const end = groups.comment === undefined ? TOKEN.lastIndex : endOfComment(query, at, refuse);
    if (groups.comment === undefined && groups.space === undefined) {
      const token = tokenOf(groups);
      tokens.push({ ...token, written: ("\n".repeat(breaks) || " ") + token.written });
      breaks = 0;
    } else {
      breaks += query.slice(at, end).split("\n").length - 1;
    }
    at = end;
  }
  return tokens;
}

/** Words and signs of which thousands end the process, because polars nests their operands. */
const OPERATOR =
  /^(?:and|or|xor|not|when|is|in|like|ilike|rlike|regexp|between|overlaps|interval|at|div|collate|[^\w\s.,;()]+)$/;
const COMBINATION = /^(?:union|intersect|except|join|array|struct|\|\||\[)$/;
const MOST_OPERATORS = 1_000;
const MOST_COMBINATIONS = 200;
/**
 * Maximum number of nested parentheses and brackets. If there is an error inside, polars' parser takes twice as long for
 * each level of `cast(`, and four times as long for these words.
 */
const MOST_LEVELS = 14;
const SLOW = /^(?:array|interval|position)$/;
/** Maximum number of nested `case`. With 46 and no parentheses, polars reports a syntax error at a wrong place. */
const MOST_CASES = 30;

function checkSize(tokens: readonly Token[], refuse: Refuse): void {
  const counted = tokens.filter(({ kind }) => kind === "word" || kind === "sign");
  const count = (pattern: RegExp) => counted.filter(({ value }) => pattern.test(value)).length;
  // Thousands of tables after `with`, each made of the one before, take hours.
  const tables = tokens.filter(({ kind, value }, index) =>
    kind === "word" && value === "as" && tokens[index + 1]?.written.trim() === "("
  );
  if (count(COMBINATION) + tables.length > MOST_COMBINATIONS) {
    refuse(`must have at most ${MOST_COMBINATIONS} joins, unions and other combinations`);
  }
  if (count(OPERATOR) > MOST_OPERATORS) refuse(`must have at most ${MOST_OPERATORS} operators`);
  const open: number[] = [];
  let [level, cases] = [0, 0];
  for (const [index, { kind, value }] of tokens.entries()) {
    if (kind === "sign" && /^[([]$/.test(value)) open.push(level++);
    if (kind === "sign" && /^[)\]]$/.test(value)) level = open.pop() ?? 0;
    if (kind === "word" && SLOW.test(value) && tokens[index + 1]?.kind !== "text") level++;
    if (kind === "sign" && value === "," && open.length === 0) level = 0;
    if (kind === "word" && value === "case" && ++cases > MOST_CASES) {
      refuse(`must have at most ${MOST_CASES} nested case`);
    }
    if (kind === "word" && value === "end") cases = Math.max(0, cases - 1);
    if (level > MOST_LEVELS) refuse(`must have at most ${MOST_LEVELS} levels of parentheses`);
  }
}

/** Functions whose arguments can contain `from`, as in `extract(year from d)`. */
const WITH_FROM = /^(?:extract|substring|substr|trim)$/;
/** Words that can stand between `from` and a parenthesis. */
const AFTER_FROM = /^(?:select|unnest|values)$/;

/** Refuses functions that return tables, because polars reads files and addresses without a permission check. */
function checkFunctions(tokens: readonly Token[], refuse: Refuse): void {
  const is = (index: number, pattern: RegExp) =>
    tokens[index]?.kind === "word" && pattern.test(tokens[index].value);
  const isSign = (index: number, sign: string) =>
    tokens[index]?.kind === "sign" && tokens[index].value === sign;
  /** For each open parenthesis: whether `from` in it is followed by an expression. */
  const open: boolean[] = [];
  /** The indexes of `from` and `join` before tables. */
  const begins = new Set<number>();
  for (const index of tokens.keys()) {
    if (is(index, /^select$/) && open.length > 0) open[open.length - 1] = false;
    const isDistinct = is(index - 1, /^distinct$/) && is(index - 2, /^(?:is|not)$/);
    if (is(index, /^join$/) || (is(index, /^from$/) && !isDistinct && !open.at(-1))) {
      begins.add(index);
    }
    if (isSign(index, ")")) open.pop();
    if (!isSign(index, "(")) continue;
    open.push(is(index - 1, WITH_FROM));
    // polars takes the first part of `read_csv.x('file')` as the name.
    let first = index - 1;
    while (isSign(first - 1, ".")) first -= 2;
    const name = tokens[first];
    if (name === undefined || name.kind === "sign" || name.kind === "number") continue;
    if (/^(?:read|scan)_/i.test(name.value)) {
      refuse(`must not call ${name.value}, which reads files; use openFrame`);
    }
    let before = first - 1;
    while (isSign(before, "(")) before--;
    if (begins.has(before) && !is(first, AFTER_FROM)) {
      refuse(`must not call ${shown(name.value)} in place of a table`);
    }
  }
}

/**
 * Checks a query, and returns it rebuilt from its tokens, so that polars reads exactly the tokens that were checked.
 *
 * @throws {RangeError} for a query that is not a text, has characters that are no SQL token, calls a function that reads
 * files, or has so many operators that polars would end the process, or is not a single SELECT or WITH statement.
 */
export function checkedQuery(query: unknown): string {
  const refuse: Refuse = (rule) => {
    throw new RangeError(`sql: query: ${rule}; got ${shown(query)}`);
  };
  if (typeof query !== "string") return refuse("must be a text");
  const tokens = tokensOf(query, refuse);
  if (tokens.at(-1)?.written.trim() === ";") tokens.pop();
  const isMany = tokens.some(({ kind, value }) => kind === "sign" && value === ";");
  const first = tokens.find(({ value }) => value !== "(");
  if (isMany || first?.kind !== "word" || !/^(?:select|with)$/.test(first.value)) {
    refuse("must be one SELECT or WITH statement");
  }
  checkSize(tokens, refuse);
  checkFunctions(tokens, refuse);
  return tokens.map(({ written }) => written).join("");
}
