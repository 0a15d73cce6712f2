/// <reference lib="deno.worker" />
import { type Cell, shareOf } from "./cells.ts";

/** The cell to simulate. */
interface Wanted {
  readonly part: string;
  readonly index: number;
  readonly draws: number | undefined;
}

// Simulates the cells that it receives, one at a time.
self.onmessage = async ({ data: { part, index, draws } }: MessageEvent<Wanted>) => {
  const { cells }: { cells: readonly Cell[] } = await import(`./parts/${part}.ts`);
  self.postMessage({ index, share: await shareOf(cells[index]!, draws) });
};
