// Measures what it takes from the bytes of an answer to a typed frame, against the shortest way that
// polars has and against reading the JSON alone. Run it with
// `deno run --allow-all tests/bench/decode.ts [--short]`.
import { blockchainComparison, cohortAnalysis, connect, pl, projectContracts } from "../../mod.ts";
import { answerBytes, type AnswerShape } from "./answers.ts";
import { inTurn, type Measured, printed } from "./measure.ts";

const OPERATIONS = {
  project_contracts: projectContracts,
  cohort_analysis: cohortAnalysis,
  blockchain_comparison: blockchainComparison,
} as const;

const SHAPES: readonly (AnswerShape & { readonly name: string; readonly runs: number })[] = [
  { name: "1 kB", dataset: "project_contracts", rows: 1, runs: 200 },
  { name: "100 kB", dataset: "project_contracts", rows: 80, runs: 100 },
  { name: "10 MB", dataset: "project_contracts", rows: 8_000, runs: 9 },
  { name: "51 MB", dataset: "project_contracts", rows: 40_000, runs: 9 },
  {
    name: "51 MB, 30 % null",
    dataset: "project_contracts",
    rows: 46_000,
    nulls: 0.3,
    runs: 7,
  },
  {
    name: "10 MB, unknown fields",
    dataset: "project_contracts",
    rows: 6_500,
    extra: 6,
    runs: 7,
  },
  {
    name: "10 MB of cohorts",
    dataset: "cohort_analysis",
    rows: 20_000,
    runs: 7,
  },
  {
    name: "10 MB of comparison",
    dataset: "blockchain_comparison",
    rows: 2_300,
    runs: 7,
  },
];

/** Times the three ways in turn, for every shape. */
export async function decode(short: boolean): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const { name, runs, ...full } of SHAPES) {
    const shape = {
      ...full,
      rows: short ? Math.min(full.rows, 100) : full.rows,
    };
    const bytes = answerBytes(shape);
    const response = () =>
      new Response(bytes as Uint8Array<ArrayBuffer>, {
        headers: {
          "content-type": "application/json",
          "content-length": String(bytes.length),
        },
      });
    const connection = connect({
      baseUrl: "http://127.0.0.1",
      token: "t0ken-of-a-bench",
      requestsPerMinute: Infinity,
      fetch: () => Promise.resolve(response()),
    });
    const [ours, records, parse] = await inTurn(short ? 3 : runs, [
      async () => (await OPERATIONS[shape.dataset](undefined, connection)).height,
      async () => pl.readRecords((await response().json()).data).height,
      async () => JSON.parse(await response().text()).data.length,
    ]);
    const what = `${name} to a frame`;
    measured.push(
      {
        what,
        against: "pl.readRecords of the JSON",
        ms: ours!,
        base: records!,
      },
      { what, against: "JSON.parse alone", ms: ours!, base: parse! },
    );
  }
  return measured;
}

if (import.meta.main) {
  console.log(printed(await decode(Deno.args.includes("--short"))));
}
