import { shown } from "../../platform/terminal.ts";

/**
 * Spaces, a comment, or a token of a query. A quote directly after a letter, a digit or `&` is not a token, because polars
 * reads `x'41'` and `u&'41'` as texts of other kinds.
 */
const TOKEN = new RegExp(
  [
    String.raw`\s+|--[^\n]*`,
    String
      .raw`(?:0x[\da-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?![\p{Alphabetic}\d_.])`,
    String.raw`[\p{Alphabetic}_][\p{Alphabetic}\d_]*`,
    String.raw`(?<![\p{Alphabetic}\d_&])(?:'[^']*(?:''[^']*)*'|"[^"]*(?:""[^"]*)*")`,
    String
      .raw`->>?|\/\/|\|\||==?|!~~?\*?|!=|<=>|<[=>]?|>=?|::?|\^@?|~~?\*?|\/(?!\*)|[-+*%|&.,;()[\]]`,
  ].join("|"),
  "uy",
);

/** Maximum number of tokens. polars nests operands, unions and joins: thousands of them end the process. */
const MOST_TOKENS = 600;
/** Maximum number of nested parentheses. If there is an error inside, polars' parser takes twice as long for each. */
const MOST_LEVELS = 14;
/** Words that count as a level wherever they are. With 15 `between` in a row, polars takes half a minute. */
const SLOW = /^(?:array|between|interval|position)$/i;
/** Maximum number of `case`. With 46 nested ones, polars reports a syntax error at a wrong place. */
const MOST_CASES = 30;

/**
 * Checks a query, and returns it rebuilt from its tokens, so that polars reads exactly the tokens that were checked.
 *
 * @throws {RangeError} for a query that is not a single SELECT or WITH statement, has characters that are no SQL token,
 * calls a function that reads files, or has so many tokens that polars would end the process.
 */
export function checkedQuery(query: unknown): string {
  const refuse = (rule: string): never => {
    throw new RangeError(`sql: query: ${rule}; got ${shown(query)}`);
  };
  if (typeof query !== "string") return refuse("must be a text");
  const tokens: string[] = [];
  for (let at = 0; at < query.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const [token] = TOKEN.exec(query) ??
      refuse(`has characters that are no SQL token, from ${shown(query.slice(at, at + 20))} on`);
    if (!/^(?:\s|--)/.test(token)) tokens.push(token);
  }
  if (tokens.at(-1) === ";") tokens.pop();
  const first = tokens.find((token) => token !== "(") ?? "";
  if (tokens.includes(";") || !/^(?:select|with)$/i.test(first)) {
    refuse("must be one SELECT or WITH statement");
  }
  const count = (pattern: RegExp) => tokens.filter((token) => pattern.test(token)).length;
  if (tokens.length > MOST_TOKENS) refuse(`must have at most ${MOST_TOKENS} words and signs`);
  if (count(/^case$/i) > MOST_CASES) refuse(`must have at most ${MOST_CASES} case`);
  let level = count(SLOW);
  for (const [index, token] of tokens.entries()) {
    if (/^[([]$/.test(token) && ++level > MOST_LEVELS) {
      refuse(`must have at most ${MOST_LEVELS} levels of parentheses`);
    }
    if (/^[)\]]$/.test(token)) level--;
    // polars takes the first part of `read_csv.x('file')` as the name of the function.
    if (/^["']?(?:read|scan)_/iu.test(token) && /^[(.]$/.test(tokens[index + 1] ?? "")) {
      refuse(`must not call ${token}, which reads files; use openFrame`);
    }
  }
  return tokens.join(" ");
}
