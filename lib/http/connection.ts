import type { OnMissing } from "./connect_options.ts";
import { createLine, type Line } from "./line.ts";
import type { Settings, Target } from "./settings.ts";

/** A way to a service, made by {@linkcode connect}. It shows no token, however it is printed. */
export interface Connection {
  /** The address of the service. */
  readonly baseUrl: string;
  /** Who answers: a service, or the embedded one on sample data. */
  readonly target: Target;
  /** What is done about entities that were not found. */
  readonly onMissing: OnMissing;
}

const lines = new WeakMap<Connection, Line>();

/** Makes a connection of checked settings, which stay out of its sight. */
export function connectionOf(settings: Settings): Connection {
  const { baseUrl, target, onMissing } = settings;
  const connection = Object.freeze({ baseUrl, target, onMissing });
  lines.set(connection, createLine(settings));
  return connection;
}

/** What a connection works with. */
export function lineOf(connection: Connection): Line {
  const found = lines.get(connection);
  if (found === undefined) {
    throw new TypeError("connection: must be what connect() returned");
  }
  return found;
}

/** The settings of a connection. */
export function settingsOf(connection: Connection): Settings {
  return lineOf(connection).settings;
}
