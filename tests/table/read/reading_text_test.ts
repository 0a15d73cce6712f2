import { deepEqual, match } from "node:assert/strict";
import { help, pl, report, resample, save, withSource } from "../../../mod.ts";
import { readingText } from "../../../lib/table/read/reading_text.ts";
import { warned } from "../../analysis/measured.ts";
import { cohortsOf } from "../../frame_cases.ts";

const rows = Array.from({ length: 480 }, (_, at) => ({
  vault: `v${at % 3}`,
  settled: new Date(Date.UTC(2025, 0, 1 + Math.floor(at / 3))),
  fees_usd: 10 + at,
  deposits: 5,
  remark_count: 1,
}));
const frame = withSource(pl.DataFrame(rows).withColumns(pl.col("settled").cast(pl.Date)), {
  citation: "own",
  date: "settled",
  retrievedAt: "2025-06-05",
  columns: {
    fees_usd: { unit: "usd", adds: "both" },
    deposits: { unit: "usd", adds: "groups" },
  },
});

Deno.test("readingText says who the rows are, when, and what adds up", () => {
  deepEqual(
    readingText(frame),
    "3 vaults (found: vault). 160 dates in settled (stated), one a day, 2025-01-01 to 2025-06-09; complete: 155, " +
      "through 2025-06-04. fees_usd: US$, adds up. deposits: US$, a level. " +
      "remark_count: not known whether it adds up.",
  );
  const [months] = warned(() =>
    resample(frame.select("vault", "settled", "fees_usd"), { every: "month" })
  );
  deepEqual(
    readingText(months.rename({ fees_usd: "income" })),
    "3 vaults (found: vault). 6 dates in settled (stated), one a month, 2025-01-01 to 2025-06-30; complete: as the " +
      "column complete states. income: US$, adds up, days in fees_usd_days.",
  );
  match(
    readingText(cohortsOf({ entity: ["land"], date: "d" })),
    /^6 lands \(found: land\)\. 18 cohorts in cohort \(found\)\. Unit of independence: land\. /,
  );
  const twice = pl.concat([frame, frame.head(1)]);
  match(readingText(twice), /^Functions do not read this frame: .*two rows have the same/);
});

Deno.test("help begins with the reading of a frame, and a report ends with it", async () => {
  match(Deno.inspect(await help(frame)), /3 vaults \(found: vault\)\. 160 dates in\s+settled/);
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/page.html`;
    await save(report({ title: "Vaults", parts: [frame.head(12)] }), path);
    match(await Deno.readTextFile(path), /Read as: 3 vaults \(found: vault\)\. 4 dates in settled/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
