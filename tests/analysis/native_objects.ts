import { createRequire } from "node:module";
import "../../lib/table/columns/polars.ts";

type Method = (this: unknown, ...args: unknown[]) => unknown;
type Members = Record<string, unknown>;

const path = createRequire(import.meta.url).resolve("nodejs-polars/bin/native-polars.js");
const native: Members = createRequire(path)(path);

function isClass(value: unknown): value is Method & { prototype: Members } {
  return typeof value === "function" &&
    Object.getOwnPropertyNames(value.prototype ?? {}).length > 1;
}

const classes = new Set(Object.values(native).filter(isClass).map(({ prototype }) => prototype));

/** Returns the number of objects that polars makes during a call: frames, lazy frames, series and expressions. */
export function nativeObjectsOf(call: () => unknown): number {
  const found = new Set<unknown>();
  const noted = (method: Method): Method =>
    function (...args) {
      const result = method.apply(this, args);
      for (const each of [result].flat()) {
        if (typeof each === "object" && each && classes.has(Object.getPrototypeOf(each))) {
          found.add(each);
        }
      }
      return result;
    };
  const undo: (() => void)[] = [];
  const replace = (holder: Members, name: string, value: unknown) => {
    const before = Object.getOwnPropertyDescriptor(holder, name)!;
    Object.defineProperty(holder, name, { ...before, value });
    undo.push(() => Object.defineProperty(holder, name, before));
  };
  for (const prototype of classes) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (typeof value === "function" && name !== "constructor") {
        replace(prototype, name, noted(value));
      }
    }
  }
  for (const [name, value] of Object.entries(native)) {
    // Static methods cannot be replaced, so another function with the same methods replaces their class.
    if (isClass(value)) {
      const made = noted((...args) => Reflect.construct(value, args));
      const other = new Proxy(function () {}, {
        construct: (_, args) => made(...args) as object,
        get: (_, member) => {
          const found = Reflect.get(value, member);
          return typeof found === "function" ? noted(found).bind(value) : found;
        },
      });
      replace(native, name, other);
    } else if (typeof value === "function") replace(native, name, noted(value as Method));
  }
  try {
    call();
  } finally {
    for (const each of undo) each();
  }
  return found.size;
}
