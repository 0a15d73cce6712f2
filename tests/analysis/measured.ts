import { ok } from "node:assert/strict";

/** Checks that a number is within a distance of the expected one. */
export function near(got: unknown, expected: number, within: number, what = ""): void {
  ok(
    typeof got === "number" && Math.abs(got - expected) <= within,
    `${what} ${got} is not ${expected} ± ${within}`,
  );
}

/** Runs a function and returns its value and the warnings that it gave. */
export function warned<Value>(run: () => Value): [Value, string[]] {
  const { error } = console;
  const told: string[] = [];
  console.error = (text: string) => told.push(text);
  try {
    return [run(), told];
  } finally {
    console.error = error;
  }
}
