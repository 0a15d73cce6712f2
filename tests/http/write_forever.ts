import { createCache } from "../../lib/http/cache.ts";
import { connect, settingsOf } from "../../lib/http/connect.ts";
import type { CacheEntry } from "../../lib/http/cache_entry.ts";
import { sha256 } from "../../lib/platform/machine.ts";
import { chains } from "./question.ts";

/** The size of the repeated write: large enough that a kill interrupts it. */
export const SIZE = 3_000_000;

/** The cache in a folder, as connections use it. */
export function cacheIn(dir: string) {
  const made = connect({
    baseUrl: "http://127.0.0.1:9",
    token: "t0ken-of-a-test",
    cache: { dir },
  });
  return createCache(dir, settingsOf(made));
}

/** The requests whose responses are written. */
export const QUESTIONS = ["a", "b", "c"].map((id) => chains([id]));

/** A cache entry with this body. */
export async function entryOf(text: string): Promise<CacheEntry> {
  const bytes = new TextEncoder().encode(text);
  const now = new Date();
  return {
    status: 200,
    bytes,
    sha256: await sha256(bytes),
    etag: null,
    renamed: [],
    retrieved_at: now,
    checked_at: now,
    data_through: null,
    data_since: null,
    data_sample: false,
    next_page: false,
  };
}

if (import.meta.main) {
  const cache = cacheIn(Deno.args[0]!);
  Deno.stdout.writeSync(new TextEncoder().encode("go"));
  for (let count = Number(Deno.args[1]);; count++) {
    for (const question of QUESTIONS) {
      const letter = String.fromCharCode(97 + count % 26);
      const text = JSON.stringify({ data: [question.params.chain_ids, letter.repeat(SIZE)] });
      await cache.write(question, await entryOf(text));
    }
  }
}
