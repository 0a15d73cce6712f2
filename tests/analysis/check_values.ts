/** A number of R: a function's name, one or two arguments, and the value. */
export interface CheckValue {
  readonly x: number;
  readonly y: number;
  readonly value: number;
}

const lines = Deno.readTextFileSync(new URL("./check_values.csv", import.meta.url)).trim()
  .split("\n").slice(1).map((line) => line.split(","));

/** The numbers of R under a name; an error where there are none. */
export function checkValues(name: string): CheckValue[] {
  const found = lines.filter(([first]) => first === name).map(([, x, y, value]) => (
    { x: Number(x), y: Number(y), value: Number(value) }
  ));
  if (found.length === 0) throw new RangeError(`check_values.csv has no ${name}`);
  return found;
}

/** The one number of R under a name, for an argument. */
export function checkValue(name: string, x = 0): number {
  const found = checkValues(name).filter((value) => value.x === x);
  if (found.length !== 1) throw new RangeError(`check_values.csv has no single ${name} of ${x}`);
  return found[0]!.value;
}
