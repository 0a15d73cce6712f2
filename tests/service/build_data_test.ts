import { deepStrictEqual as equal, rejects } from "node:assert/strict";
import { buildData, createService, type FactsError, type Service } from "../../lib/service/mod.ts";
import { openDuckdb } from "../../lib/service/engine/duckdb.ts";
import { breakdown, get, TOKEN } from "./call_service.ts";
import { type Facts, writeFacts } from "./facts_model.ts";
import { tinyFacts } from "./tiny_facts.ts";
import { inFolder } from "../in_folder.ts";
import { refuseWrong, WRONG } from "./wrong_facts.ts";

function tinyService(folder: string): Promise<Service> {
  return createService({ tokens: [TOKEN], data: `${folder}/data.duckdb` });
}

Deno.test("buildData computes the expected values", () =>
  inFolder(async (folder) => {
    await writeFacts(`${folder}/facts`, tinyFacts());
    const built = await buildData({ facts: `${folder}/facts`, out: `${folder}/data.duckdb` });
    equal(built, {
      first_day: "2026-01-30",
      last_day: "2026-01-31",
      rows: { blockchain_comparison: 1, project_contracts: 2, cohort_analysis: 2 },
    });
    const service = await tinyService(folder);
    const { body } = await breakdown(service, {
      metric_ids: ["fees", "active_users", "net_flows", "tvl", "dex_trading_volume"],
      interval: "24h",
      group_by: "chains",
    });
    equal(body.data, [{
      data_id: "c1",
      chain_id: "c1",
      product_id: null,
      metrics: {
        fees: { sum: 3.75, avg: 3.75, latest: 3.75, change: 2, trend: 2, days: 1 },
        active_users: { sum: null, avg: 2, latest: 2, change: 1, trend: 1 },
        net_flows: { sum: 18, avg: 18, latest: 18, change: 2, trend: 2, days: 1 },
        tvl: { sum: null, avg: 99.5, latest: 99.5, change: null, trend: null },
        dex_trading_volume: {
          sum: null,
          avg: null,
          latest: null,
          change: null,
          trend: null,
          days: null,
        },
      },
    }]);
    const cohorts = (await get(service, "/v2/datasets/cohort_analysis")).body.data;
    equal(
      cohorts.map((row: Record<string, unknown>) => [
        row.project_id,
        row.cohort,
        row.initial_cohort_size,
        row.month_0,
        row.month_1,
      ]),
      [["p1", "2026-01", 2, 1, null], ["p2", "2026-01", 1, 1, null]],
    );
    await service.close();
    equal([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), ["data.duckdb", "facts"]);
  }));

// tests/slow has all errors.
Deno.test("buildData names the error in the facts, and keeps the existing file", () =>
  refuseWrong(WRONG.filter((_, at) => at % 3 === 0)));

/** Writes the activity of a folder as Parquet instead, with some columns made by SQL of their own. */
async function asParquet(folder: string, replaced: string): Promise<void> {
  const database = await openDuckdb();
  await database.run(
    `COPY (SELECT * REPLACE (${replaced}) FROM read_csv('${folder}/activity.csv',
       all_varchar = true)) TO '${folder}/activity.parquet' (FORMAT parquet)`,
  );
  database.close();
  await Deno.remove(`${folder}/activity.csv`);
}

Deno.test("buildData accepts the documented formats in Parquet and CSV, and Parquet types", () =>
  inFolder(async (folder) => {
    const build = async (replaced: string) => {
      await writeFacts(`${folder}/facts`, tinyFacts());
      await Deno.remove(`${folder}/facts/activity.parquet`).catch(() => {});
      await asParquet(`${folder}/facts`, replaced);
      return await buildData({ facts: `${folder}/facts`, out: `${folder}/data.duckdb` });
    };
    await rejects(
      build("'1_000' AS transaction_count, ' 5 ' AS gas_used, replace(day, '-', '/') AS day"),
      ({ problems }: FactsError) => {
        equal(problems.map((problem) => problem.replace(/ \(and so.*/, "")), [
          'activity.parquet, row 1: day is not a calendar day (YYYY-MM-DD): "2026/01/30"',
          'activity.parquet, row 1: transaction_count is not a whole number: "1_000"',
          'activity.parquet, row 1: gas_used is not a whole number: " 5 "',
        ]);
        return true;
      },
    );
    const typed = await build(
      "CAST(day AS TIMESTAMP) AS day, CAST(transaction_count AS DOUBLE) AS transaction_count, " +
        "CAST(0.1234567891 AS DOUBLE) AS fees_usd, CAST(0.1 AS FLOAT) AS revenue_usd",
    );
    equal(typed.last_day, "2026-01-31");
    const service = await createService({ tokens: [TOKEN], data: `${folder}/data.duckdb` });
    const { body } = await breakdown(service, {
      metric_ids: ["fees", "revenue", "transaction_count"],
      interval: "max",
      group_by: "chains",
    });
    const { fees, revenue, transaction_count } = body.data[0].metrics;
    equal([fees.sum, revenue.sum, transaction_count.sum], [0.493827156, 0.4, 8]);
    await service.close();
  }));

Deno.test("buildData refuses an option that is unknown or out of range, and names its value", () =>
  inFolder(async (folder) => {
    await writeFacts(`${folder}/facts`, tinyFacts());
    const build = (options: object) =>
      buildData({ facts: `${folder}/facts`, out: `${folder}/data.duckdb`, ...options });
    const wrong = ["2", "2 gigabytes", "-1GB", "1GB'; DROP TABLE x; --", ""];
    for (
      const [name, values, rule] of [
        ["memory", wrong, "an amount such as 2GB"],
        ["carryDays", [-1, 367, 1.5, NaN], "a whole number from 0 to 366"],
      ] as const
    ) {
      for (const value of values) {
        const got = JSON.stringify(value) === "null" ? String(value) : JSON.stringify(value);
        await rejects(build({ [name]: value }), {
          name: "RangeError",
          message: `buildData: ${name}: must be ${rule}; got ${got}`,
        });
      }
    }
    await rejects(build({ carryDay: 3 }), /buildData: carryDay: did you mean carryDays\?/);
    for (const options of [{ memory: "256MB", carryDays: 0 }, { carryDays: 366 }]) {
      equal((await build(options)).rows.project_contracts, 2);
    }
  }));

Deno.test("createService refuses a file that was not made by a build", () =>
  inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/data.duckdb`, "not a database");
    await rejects(tinyService(folder), /data\.duckdb/);
    await rejects(createService({ data: `${folder}/none.duckdb` }), /none\.duckdb/);
  }));

Deno.test("a service switches to a new file with its days, and keeps the old one if the new one does not open", () =>
  inFolder(async (folder) => {
    let now = 0;
    const errors: unknown[] = [];
    const out = `${folder}/data.duckdb`;
    const build = async (facts: Facts) => {
      await Deno.remove(`${folder}/facts`, { recursive: true }).catch(() => {});
      await writeFacts(`${folder}/facts`, facts);
      await buildData({ facts: `${folder}/facts`, out });
    };
    await build(tinyFacts());
    const service = await createService({
      tokens: [TOKEN],
      data: out,
      now: () => now += 1000,
      onError: (error) => errors.push(error),
    });
    // A response has either the name and days of the old file, or those of the new one.
    const daysOf: Record<string, string[]> = {
      "Chain One": ["2026-01-30", "2026-01-31"],
      Renamed: ["2027-01-30", "2027-01-31"],
    };
    const names = async () => {
      const { body, headers } = await get(service, "/v2/datasets/blockchain_comparison");
      const [{ chain_name }] = body.data;
      const days = ["data-since", "data-through"].map((name) => headers.get(name));
      equal(days, daysOf[chain_name]);
      return [chain_name];
    };
    const until = async (expected: string[]) => {
      for (let tries = 0; tries < 500; tries++) {
        if (String(await names()) === String(expected)) break;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      equal(await names(), expected);
    };
    equal(await names(), ["Chain One"]);

    const renamed: Facts = JSON.parse(JSON.stringify(tinyFacts()).replaceAll('"2026-', '"2027-'));
    renamed.chains[0]!.chain_name = "Renamed";
    await build(renamed);
    await until(["Renamed"]);

    await Deno.writeTextFile(`${out}.bad`, "not a database");
    await Deno.rename(`${out}.bad`, out);
    for (let tries = 0; tries < 500 && errors.length === 0; tries++) {
      equal(await names(), ["Renamed"]);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    equal(errors.length, 1);
    await Deno.remove(out);
    equal(await names(), ["Renamed"]);

    await build(tinyFacts());
    await until(["Chain One"]);
    equal(errors.length, 1);
    await service.close();
  }));
