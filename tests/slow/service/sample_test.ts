import { deepStrictEqual as equal, ok, rejects } from "node:assert/strict";
import { buildData, createService, writeSample } from "../../../lib/service/mod.ts";
import { get, TOKEN } from "../../service/call_service.ts";

Deno.test("the sample as CSV is the sample as Parquet", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const answers = [];
    for (const format of ["csv", "parquet"] as const) {
      const paths = await writeSample({ out: `${folder}/${format}`, scale: 0.02, format });
      equal(paths.pop(), `${folder}/${format}/SAMPLE_DATA.txt`);
      ok(paths.every((path) => path.endsWith(`.${format}`)) && paths.length > 10);
      const data = `${folder}/${format}.duckdb`;
      await buildData({ facts: `${folder}/${format}`, out: data });
      const service = await createService({ tokens: [TOKEN], data });
      const found = [];
      for (const name of ["blockchain_comparison", "project_contracts", "cohort_analysis"]) {
        found.push((await get(service, `/v2/datasets/${name}`)).body);
      }
      answers.push(found);
      await service.close();
    }
    equal(answers[0], answers[1]);
    await rejects(writeSample({ out: `${folder}/x`, format: "xlsx" as "csv" }), {
      name: "RangeError",
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
