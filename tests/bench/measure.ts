/** A time beside the time that it is held against, measured in the same run. */
export interface Measured {
  readonly what: string;
  readonly against: string;
  /** The median, in milliseconds. */
  readonly ms: number;
  /** The median of what it is held against, in milliseconds. */
  readonly base: number;
}

/** The middle of some numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

/** The median milliseconds of several ways to do something, run in turn so that a slow moment hits all. */
export async function inTurn(
  runs: number,
  ways: readonly (() => Promise<unknown> | unknown)[],
): Promise<number[]> {
  const times: number[][] = ways.map(() => []);
  for (let run = -1; run < runs; run++) {
    for (const [index, way] of ways.entries()) {
      const start = performance.now();
      await way();
      // The first round warms up.
      if (run >= 0) times[index]!.push(performance.now() - start);
    }
  }
  return times.map(median);
}

/** The measurements as a table to read. */
export function printed(measured: readonly Measured[]): string {
  const rows = measured.map(({ what, against, ms, base }) =>
    `| ${what} | ${against} | ${ms.toFixed(1)} | ${base.toFixed(1)} | ${(ms / base).toFixed(2)} |`
  );
  return [
    "| what | against | ms | ms of that | ratio |",
    "| ---- | ------- | -- | ---------- | ----- |",
    ...rows,
  ].join("\n");
}
