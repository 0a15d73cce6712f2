// deno-lint-ignore-file no-import-prefix
// An import map counts in the root config only, and this file is imported by path from elsewhere.
import { LRUCache } from "npm:lru-cache@11.2.2";
import type { Snapshot } from "../snapshot.ts";
import type { Representation } from "./representation.ts";

/** What was sent before, by request. */
interface ResponseCache {
  get(key: string): Representation | undefined;
  set(key: string, value: Representation): void;
}

const MAX_BYTES = 32_000_000;
const MAX_KEY_LENGTH = 4_096;

/** A cache of bounded size: who was used longest ago goes first. Twice the bytes are counted for gzip. */
export function createResponseCache(maxBytes: number = MAX_BYTES): ResponseCache {
  const kept = new LRUCache<string, Representation>({
    maxSize: maxBytes,
    // What would push out most others is not kept.
    maxEntrySize: Math.floor(maxBytes / 4),
    sizeCalculation: ({ bytes }, key) => 2 * key.length + 2 * bytes.length,
  });
  return {
    get: (key) => kept.get(key),
    set(key, value) {
      if (key.length <= MAX_KEY_LENGTH) kept.set(key, value);
    },
  };
}

const caches = new WeakMap<Snapshot, ResponseCache>();

/** The cache of what was made from a snapshot; it goes when the snapshot does. */
export function responseCacheOf(snapshot: Snapshot): ResponseCache {
  const there = caches.get(snapshot);
  if (there !== undefined) return there;
  const made = createResponseCache();
  caches.set(snapshot, made);
  return made;
}
