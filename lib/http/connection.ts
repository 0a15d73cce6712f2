import type { OnMissing } from "./connect_options.ts";
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

const settings = new WeakMap<Connection, Settings>();

/** Makes a connection of checked settings, which stay out of its sight. */
export function connectionOf(made: Settings): Connection {
  const { baseUrl, target, onMissing } = made;
  const connection = Object.freeze({ baseUrl, target, onMissing });
  settings.set(connection, made);
  return connection;
}

/** The settings of a connection. */
export function settingsOf(connection: Connection): Settings {
  const found = settings.get(connection);
  if (found === undefined) {
    throw new TypeError("connection: must be what connect() returned");
  }
  return found;
}
