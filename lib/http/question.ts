import type { Operation } from "../schema/vocabulary.ts";

/** What a request asks: everything of it but the service and the token. */
export interface Question {
  readonly operation: Operation;
  readonly method: "GET" | "POST";
  /** The path below the base address, its segments encoded. */
  readonly path: string;
  /** The query parameters, in the order they are sent. A list is sent as one, comma separated. */
  readonly params: Readonly<Record<string, string | readonly string[]>>;
  /** The JSON body of a POST; null for a GET. */
  readonly body: Readonly<Record<string, unknown>> | null;
  /**
   * The moment after which the answer changes no more. It is not sent: a cached answer of later is good at
   * any age, and one of before only where the connection has a `maxAge` that lets it be. Where it is not
   * given, a cached answer without a `maxAge` is good at any age.
   */
  readonly settled?: Date;
}

/** The URL of a question: each id of a list is encoded, the commas between them are not. */
export function questionUrl(baseUrl: string, { path, params }: Question): string {
  const pairs = Object.entries(params).map(([name, value]) => {
    const values = typeof value === "string" ? [value] : value;
    return `${encodeURIComponent(name)}=${values.map(encodeURIComponent).join(",")}`;
  });
  return `${baseUrl}${path}${pairs.length === 0 ? "" : `?${pairs.join("&")}`}`;
}

/** What makes two questions the same: method, URL and body. No token is in it. */
export function questionKey(baseUrl: string, question: Question): string {
  const { method, body } = question;
  return JSON.stringify([method, questionUrl(baseUrl, question), body]);
}

function lengthOf(id: string): number {
  // Each id has a comma before it, but for the first: its place is given away.
  return encodeURIComponent(id).length + 1;
}

function lengthOfAll(ids: readonly string[]): number {
  return ids.reduce((sum, id) => sum + lengthOf(id), -1);
}

/** Cuts a list into pieces of at most so many encoded characters; an id that is longer goes alone. */
function cut(ids: readonly string[], most: number): string[][] {
  const pieces: string[][] = [];
  let left = 0;
  for (const id of ids) {
    const length = lengthOf(id);
    if (length > left || pieces.length === 0) {
      pieces.push([]);
      left = most + 1;
    }
    pieces.at(-1)!.push(id);
    left -= length;
  }
  return pieces;
}

/**
 * The questions that together ask what one question asks, each with a URL of at most `maxUrlLength`
 * characters where that can be had. The longest list is cut first. Where several lists are too long
 * together, every piece of the one is asked with every piece of the other, since lists of different
 * parameters narrow each other down.
 */
export function partsOf(question: Question, baseUrl: string, maxUrlLength: number): Question[] {
  const excess = questionUrl(baseUrl, question).length - maxUrlLength;
  if (excess <= 0) return [question];
  const lists = Object.entries(question.params)
    .filter((pair): pair is [string, readonly string[]] => typeof pair[1] !== "string")
    .map(([name, ids]) => ({ name, ids, length: lengthOfAll(ids) }));
  const longest = lists.filter(({ ids }) => ids.length > 1)
    .reduce<typeof lists[number] | null>(
      (most, list) => most === null || list.length > most.length ? list : most,
      null,
    );
  if (longest === null) return [question];
  const { name, ids, length } = longest;
  const room = lists.reduce((sum, list) => sum + list.length, -excess);
  const beside = room - (lists.reduce((sum, list) => sum + list.length, 0) - length);
  // Where the other lists leave it less than half of the room, they will be cut in their turn.
  const most = beside >= room / 2 ? beside : Math.min(room / 2, length / 2);
  return cut(ids, Math.max(1, Math.floor(most))).flatMap((piece) =>
    partsOf({ ...question, params: { ...question.params, [name]: piece } }, baseUrl, maxUrlLength)
  );
}
