import type { Answer } from "./envelope.ts";
import { createPace, type Pace, type Waiting } from "./pace.ts";
import { type Cache, createCache } from "./cache.ts";
import type { Settings, Target } from "./settings.ts";
import { createWarn, type Warn } from "../host/terminal.ts";
import type { OnMissing } from "./connect_options.ts";

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
  readonly warn: Warn;
}

/** What a session may be given in place of its own. */
type SessionParts = Partial<Pick<Session, "cache" | "warn">>;

/** Makes the session of checked settings. */
function createSession(settings: Settings, parts: SessionParts = {}): Session {
  const { warn = createWarn() } = parts;
  const { cache, clock } = settings;
  return {
    settings,
    pace: createPace(settings, clock),
    cache: parts.cache ?? (cache === null ? null : createCache(cache.dir, settings, warn)),
    underWay: new Map(),
    warn,
  };
}

/**
 * A way to a service, made by {@linkcode connect}. It shows no token, however it is printed.
 *
 * @category Connection
 */
export interface Connection {
  /** The address of the service. */
  readonly baseUrl: string;
  /** Who answers: a service, or the embedded one on sample data. */
  readonly target: Target;
  /** What is done about entities that were not found. */
  readonly onMissing: OnMissing;
}

const sessions = new WeakMap<Connection, Session>();

/** Makes a connection of checked settings, which stay out of its sight. */
export function connectionOf(settings: Settings, parts?: SessionParts): Connection {
  const { baseUrl, target, onMissing } = settings;
  const connection = Object.freeze({ baseUrl, target, onMissing });
  sessions.set(connection, createSession(settings, parts));
  return connection;
}

/** What a connection works with. */
export function sessionOf(connection: Connection): Session {
  const found = sessions.get(connection);
  if (found === undefined) {
    throw new TypeError("connection: must be what connect() returned");
  }
  return found;
}

/** The settings of a connection. */
export function settingsOf(connection: Connection): Settings {
  return sessionOf(connection).settings;
}
