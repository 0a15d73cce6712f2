import { createHash, timingSafeEqual } from "node:crypto";
import { failure } from "./failure.ts";

const CHALLENGE = { "WWW-Authenticate": 'Bearer realm="chainframe"' };
const FIELD = "Authorization";

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}

/**
 * A check of the header `Authorization`: it returns which of the tokens was sent. Digests of equal
 * length are compared, all of them each time, so that the time taken says nothing about a token.
 *
 * @throws {Failure} 401 without the header or when it is no bearer token, 403 for an unknown token.
 */
export function bearerCheck(tokens: readonly string[]): (header: string | null) => number {
  const known = tokens.map(digest);
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
    const sent = digest(token);
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
