import { timingSafeEqual } from "node:crypto";
import { failure } from "./failure.ts";

const CHALLENGE = { "WWW-Authenticate": 'Bearer realm="chainframe"' };
const FIELD = "Authorization";

const encoder = new TextEncoder();

/** The text in `width` bytes: zeros fill it up, what is longer is cut off. */
function padded(text: string, width: number): Uint8Array {
  const bytes = new Uint8Array(width);
  encoder.encodeInto(text, bytes);
  return bytes;
}

/**
 * A check of the header `Authorization`: it returns which of the tokens was sent. Texts of equal
 * length are compared, all of them each time, so that the time taken says nothing about a token.
 *
 * @throws {Failure} 401 without the header or when it is no bearer token, 403 for an unknown token.
 */
export function bearerCheck(tokens: readonly string[]): (header: string | null) => number {
  // One byte more than the longest, so that a longer one which starts like it differs.
  const width = Math.max(...tokens.map(({ length }) => length)) + 1;
  const known = tokens.map((token) => padded(token, width));
  return (header) => {
    if (header === null) {
      throw failure(
        401,
        "MISSING_TOKEN",
        'The header "Authorization: Bearer <token>" is missing.',
        {
          field: FIELD,
          headers: CHALLENGE,
        },
      );
    }
    const token = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(header)?.[1];
    if (token === undefined) {
      throw failure(
        401,
        "MALFORMED_TOKEN",
        'The header "Authorization" is not of the form "Bearer <token>".',
        { field: FIELD, headers: CHALLENGE },
      );
    }
    const sent = padded(token, width);
    let found = -1;
    known.forEach((other, index) => {
      if (timingSafeEqual(sent, other)) found = index;
    });
    if (found < 0) {
      throw failure(403, "UNKNOWN_TOKEN", "The token is not known here.", { field: FIELD });
    }
    return found;
  };
}
