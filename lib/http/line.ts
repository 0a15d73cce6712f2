import { type Cache, createCache } from "./cache.ts";
import { createPace, type Pace } from "./pace.ts";
import type { Settings } from "./settings.ts";
import type { UnderWay } from "./under_way.ts";
import { createWarn, type Warn } from "./warn.ts";

/** A connection at work: what it was told, and what everything that uses it shares. */
export interface Line {
  readonly settings: Settings;
  readonly pace: Pace;
  readonly cache: Cache | null;
  /** The questions that are being answered, by their key. */
  readonly underWay: Map<string, UnderWay>;
  readonly warn: Warn;
}

/** Makes a line of checked settings. */
export function createLine(settings: Settings): Line {
  const warn = createWarn();
  const { cache, clock } = settings;
  return {
    settings,
    pace: createPace(settings, clock),
    cache: cache === null ? null : createCache(cache.dir, settings, warn),
    underWay: new Map(),
    warn,
  };
}
