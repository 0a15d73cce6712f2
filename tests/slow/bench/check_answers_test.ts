import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { buildData } from "../../../lib/service/mod.ts";
import { checkAnswers } from "../../bench/check_answers.ts";
import { writeLargeFacts } from "../../bench/large_facts.ts";

Deno.test("responses agree with plain SQL over many facts", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const facts = `${folder}/facts`;
    await writeLargeFacts(facts, { projects: 30, users: 2_000, days: 365, activity: 60_000 });
    await buildData({ facts, out: `${folder}/data.duckdb` });
    const checked = await checkAnswers({ facts, data: `${folder}/data.duckdb` }, 60);
    equal(checked.wrong, []);
    ok(checked.figures > 20_000, `${checked.figures} figures`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
