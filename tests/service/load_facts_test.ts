import { deepStrictEqual as equal, rejects } from "node:assert/strict";
import { openDuckdb } from "../../lib/service/engine/duckdb.ts";
import { loadFacts } from "../../lib/service/facts/load_facts.ts";
import { readFacts, refuseChanged } from "../../lib/service/facts/read_facts.ts";
import { writeFacts } from "./facts_model.ts";
import { tinyFacts } from "./tiny_facts.ts";
import { inFolder } from "../in_folder.ts";

Deno.test("loadFacts checks only the small tables if the activity is elsewhere", () =>
  inFolder(async (folder) => {
    await writeFacts(folder, { ...tinyFacts(), activity: [] });
    const load = async (lastDay: string) => {
      const database = await openDuckdb();
      try {
        await loadFacts(database, folder, lastDay);
        return await database.rows(
          `SELECT (SELECT count(*) FROM facts.numbered_activity) AS activity,
             (SELECT count(*) FROM facts.contract_keys) AS contracts`,
        );
      } finally {
        database.close();
      }
    };
    equal(await load("2026-01-31"), [{ activity: 0, contracts: 2 }]);
    await rejects(load("2026-01-30"), {
      name: "FactsError",
      message: "Cannot build from these facts:\nproduct_daily.csv, row 1: day is out of range: " +
        "2026-01-31 is after 2026-01-30, the last day of activity",
    });
  }));

Deno.test("refuseChanged names a file that changed after it was read", () =>
  inFolder(async (folder) => {
    await writeFacts(folder, tinyFacts());
    const database = await openDuckdb();
    const files = await readFacts(database, folder);
    await refuseChanged(files);
    const path = `${folder}/products.csv`;
    await Deno.writeTextFile(path, await Deno.readTextFile(path) + "x9,Late,p1\n");
    await Deno.remove(`${folder}/chains.csv`);
    await rejects(refuseChanged(files), {
      name: "FactsError",
      message: "Cannot build from these facts:\nchains.csv: changed while it was read\n" +
        "products.csv: changed while it was read",
    });
    database.close();
  }));
