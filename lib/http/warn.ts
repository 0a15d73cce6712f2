import { notify } from "./notify.ts";

/** Tells the user something, once; of several messages with the same key, the first. */
export type Warn = (message: string, key?: string) => void;

/** Makes a teller that tells nothing twice. */
export function createWarn(): Warn {
  const told = new Set<string>();
  return (message, key = message) => {
    if (told.has(key)) return;
    told.add(key);
    notify(message);
  };
}
