import { ok } from "node:assert/strict";
import * as library from "../../../mod.ts";
import { keptLines } from "./kept_results.ts";

/** Compares the results of the seeds from `first` to before `end` with those of version 0.4.0. */
export function comparedSeries(first: number, end: number): void {
  const kept = Deno.readTextFileSync(new URL("./kept_results.csv", import.meta.url)).trim()
    .split("\n").slice(1).filter((line) => {
      const seed = Number.parseInt(line);
      return first <= seed && seed < end;
    });
  const lines = keptLines(library, first, end);
  const differ = kept.filter((line, at) => {
    const [one, other] = [line, lines[at] ?? ""].map((text) => text.split(","));
    const [sum, now] = [Number(one!.at(-1)), Number(other!.at(-1))];
    return one!.slice(0, -1).join() !== other!.slice(0, -1).join() ||
      !(Math.abs(sum - now) <= 1e-9 * Math.max(1, Math.abs(sum)));
  });
  ok(kept.length === 24 * (end - first) && differ.length === 0, differ.slice(0, 5).join("\n"));
}
