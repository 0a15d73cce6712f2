import type { Answer } from "./envelope.ts";
import { type Cache, createCache } from "./cache.ts";
import { createPace, type Pace, type Waiting } from "./pace.ts";
import { type Connection, type Settings, settingsOf } from "./settings.ts";

/** A question that is being answered, and who waits for it. */
interface UnderWay {
  readonly answer: Promise<Answer>;
  readonly listeners: Set<Waiting>;
  /** Ends its waits and retries, once nobody wants it any more. */
  readonly stop: AbortController;
}

/** A share in an answer that is on its way. */
interface Share {
  readonly answer: Promise<Answer>;
  /** Says that the answer is no longer wanted. An attempt under way still ends, and is kept. */
  readonly leave: () => void;
}

/** All who wait for one answer. */
export interface Waiters {
  /** Fires once nobody wants the answer any more. */
  readonly stop: AbortSignal;
  /** Tells them that it waits. */
  readonly waiting: Waiting;
}

/** Waits for the answer of a question that is under way already, or starts it. */
export function share(
  underWay: Map<string, UnderWay>,
  key: string,
  { waiting, start }: {
    readonly waiting: Waiting;
    readonly start: (waiters: Waiters) => Promise<Answer>;
  },
): Share {
  let current = underWay.get(key);
  if (current === undefined || current.stop.signal.aborted) {
    const listeners = new Set<Waiting>();
    const stop = new AbortController();
    const answer = start({
      stop: stop.signal,
      waiting: (ms) => listeners.forEach((listener) => listener(ms)),
    });
    const made: UnderWay = { answer, listeners, stop };
    const remove = () => underWay.get(key) === made && underWay.delete(key);
    answer.then(remove, remove);
    underWay.set(key, made);
    current = made;
  }
  const { answer, listeners, stop } = current;
  // A function of its own: the same caller may ask twice.
  const listener: Waiting = (ms) => waiting(ms);
  listeners.add(listener);
  return {
    answer,
    leave: () => {
      listeners.delete(listener);
      if (listeners.size === 0) stop.abort();
    },
  };
}

/** A connection at work: what it was told, and what everything that uses it shares. */
export interface Session {
  readonly settings: Settings;
  readonly pace: Pace;
  readonly cache: Cache | null;
  /** The questions that are being answered, by their key. */
  readonly underWay: Map<string, UnderWay>;
}

function cacheOf(settings: Settings): Cache | null {
  return settings.cache === null ? null : createCache(settings.cache.dir, settings);
}

const sessions = new WeakMap<Connection, Session>();

/** Opens the session of a connection, on a cache in place of its own where one is given. */
export function openSession(connection: Connection, cache?: Cache): Session {
  const settings = settingsOf(connection);
  const session = {
    settings,
    pace: createPace(settings, settings.clock),
    cache: cache ?? cacheOf(settings),
    underWay: new Map(),
  };
  sessions.set(connection, session);
  return session;
}

/** What a connection works with, opened when it is first asked. */
export function sessionOf(connection: Connection): Session {
  return sessions.get(connection) ?? openSession(connection);
}
