import { deepEqual } from "node:assert/strict";
import { pl, plotScatter, withSource } from "../../mod.ts";

/** The words of a scatter plot of ports at dates. A value of the first date is null. */
async function words(
  ports: readonly string[],
  dates: readonly (string | number)[],
  options: object = {},
): Promise<readonly unknown[]> {
  const rows = dates.flatMap((when, at) =>
    ports.map((port, k) => ({
      when,
      port,
      ships: at === 0 && k === 0 ? null : 5 * at + k,
      tons: 90 + at * (k + 2),
    }))
  );
  const frame = withSource(pl.DataFrame(rows), { citation: "a test", date: "when" });
  const { title, subtitle, caption, label } = await plotScatter(frame, {
    x: "ships",
    y: "tons",
    ...options,
  }).spec;
  return [title, subtitle, caption[0], String(label).split(":")[0]];
}

Deno.test("plotScatter counts entities once if they have points at several dates", async () => {
  deepEqual(await words(["Oslo", "Genoa", "Cork"], ["2024-11", "2024-12", "2025-01", "2025-02"]), [
    "Tons against ships of 3 ports, Nov 2024 to Feb 2025",
    "Each dot: one port in one month",
    "Not drawn, no value: 1 of 12 points.",
    "Scatter plot of 11 points",
  ]);
  deepEqual(await words(["Oslo", "Genoa"], [20250304, 20250305, 20250306, 20250307]), [
    "Tons against ships of 2 ports, 4 Mar 2025 to 7 Mar 2025",
    "Each dot: one port at one date",
    "Not drawn, no value: 1 of 8 points.",
    "Scatter plot of 7 points",
  ]);
  deepEqual((await words(["Oslo", "Genoa"], ["2024-Q2", "2024-Q3", "2024-Q4"])).slice(0, 2), [
    "Tons against ships of 2 ports, Q2 2024 to Q4 2024",
    "Each dot: one port in one quarter",
  ]);
  deepEqual(await words(["Oslo", "Genoa", "Cork"], ["2024-11-01"]), [
    "Tons against ships of 2 ports, 1 Nov 2024",
    "Each dot: one port",
    "Not drawn, no value: Oslo.",
    "Scatter plot of 2 ports",
  ]);
});
