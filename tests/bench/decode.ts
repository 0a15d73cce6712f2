// Measures what it takes from the bytes of an answer to a typed frame, against the shortest way that
// polars has and against reading the JSON alone. Run it with
// `deno run --allow-all tests/bench/decode.ts [--short]`.
import { blockchainComparison, cohortAnalysis, connect, pl, projectContracts } from "../../mod.ts";
import { answerBytes, type AnswerShape } from "./answers.ts";
import { growth, inTurn, type Measured, printed, type Reach, type Sized } from "./measure.ts";
import { startPandas } from "./pandas.ts";

const OPERATIONS = {
  project_contracts: projectContracts,
  cohort_analysis: cohortAnalysis,
  blockchain_comparison: blockchainComparison,
} as const;

/** A kind of answer, how often it is read, and what that is to come to. */
interface Case extends AnswerShape {
  readonly name: string;
  readonly runs: number;
  readonly ofRecords?: Reach;
  readonly ofParse?: Reach;
  readonly ofPandas?: Reach;
}

const TWICE_AS_FAST: Reach = { ratio: 0.5 };

const CASES: readonly Case[] = [
  { name: "1 kB", dataset: "project_contracts", rows: 1, runs: 200, ofParse: { more: 3 } },
  { name: "100 kB", dataset: "project_contracts", rows: 80, runs: 100, ofRecords: { ratio: 1.5 } },
  {
    name: "10 MB of contracts",
    dataset: "project_contracts",
    rows: 8_000,
    runs: 41,
    ofRecords: TWICE_AS_FAST,
  },
  {
    name: "51 MB of contracts",
    dataset: "project_contracts",
    rows: 40_000,
    runs: 9,
    ofRecords: { aim: 0.5, ratio: 1 / 1.7 },
    ofParse: { aim: 1.8, ratio: 2.3 },
    ofPandas: { ratio: 1 / 1.8 },
  },
  {
    name: "51 MB, 30 % null",
    dataset: "project_contracts",
    rows: 46_000,
    nulls: 0.3,
    runs: 7,
    ofRecords: TWICE_AS_FAST,
  },
  {
    name: "10 MB, unknown fields",
    dataset: "project_contracts",
    rows: 6_500,
    extra: 6,
    runs: 41,
    ofRecords: TWICE_AS_FAST,
  },
  {
    name: "10 MB of cohorts",
    dataset: "cohort_analysis",
    rows: 20_000,
    runs: 41,
    ofRecords: TWICE_AS_FAST,
  },
  {
    name: "10 MB of comparison",
    dataset: "blockchain_comparison",
    rows: 2_300,
    runs: 41,
    ofRecords: TWICE_AS_FAST,
  },
];

/** The ways to make a frame of an answer, and how many rows each finds. */
function waysOf(bytes: Uint8Array<ArrayBuffer>, dataset: Case["dataset"]) {
  const headers = { "content-type": "application/json", "content-length": `${bytes.length}` };
  const response = () => new Response(bytes, { headers });
  const connection = connect({
    baseUrl: "http://127.0.0.1",
    token: "t0ken-of-a-bench",
    requestsPerMinute: Infinity,
    fetch: () => Promise.resolve(response()),
  });
  return [
    async () => (await OPERATIONS[dataset](undefined, connection)).height,
    async () => pl.readRecords((await response().json()).data).height,
    async () => JSON.parse(await response().text()).data.length,
  ];
}

function withReach(measured: Measured, reach: Reach | undefined): Measured {
  return reach === undefined ? measured : { ...measured, reach };
}

async function decodeCase(
  { name, runs, ofRecords, ofParse, ofPandas, ...full }: Case,
  short: boolean,
): Promise<Measured[]> {
  const shape = { ...full, rows: short ? Math.min(full.rows, 100) : full.rows };
  const bytes = answerBytes(shape) as Uint8Array<ArrayBuffer>;
  const pandas = ofPandas === undefined ? null : await startPandas(bytes);
  try {
    const ways: (() => Promise<unknown>)[] = waysOf(bytes, shape.dataset);
    if (pandas !== null) ways.push(pandas.run);
    const [ms, records, parse, panda] = await inTurn(short ? 3 : runs, ways);
    const against = (against: string, base: number) => ({
      what: `${name} to a frame`,
      against,
      ms: ms!,
      base,
    });
    const measured = [
      withReach(against("pl.readRecords of the JSON", records!), ofRecords),
      withReach(against("JSON.parse alone", parse!), ofParse),
    ];
    if (ofPandas !== undefined) {
      measured.push({
        ...against(`pandas ${pandas?.version ?? ""}`.trim(), panda ?? NaN),
        ...(pandas === null ? { skipped: "no Python here has pandas" } : { reach: ofPandas }),
      });
    }
    return measured;
  } finally {
    await pandas?.end();
  }
}

/** Times answers of a thousand rows, ten and a hundred times as many. */
async function decodeGrowth(short: boolean): Promise<Measured[]> {
  const sized: Sized[] = [];
  for (const size of short ? [10, 100, 1_000] : [1_000, 10_000, 100_000]) {
    const dataset = "project_contracts";
    const bytes = answerBytes({ dataset, rows: size }) as Uint8Array<ArrayBuffer>;
    const [ms] = await inTurn(short ? 1 : 7, waysOf(bytes, dataset).slice(0, 1));
    sized.push({ size, ms: ms! });
  }
  return growth(`${sized[0]!.size} contracts to a frame`, sized);
}

/** Times the ways in turn for every kind of answer, and how the time grows with the rows. */
export async function decode(short: boolean): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const each of CASES) measured.push(...await decodeCase(each, short));
  return [...measured, ...await decodeGrowth(short)];
}

if (import.meta.main) {
  const short = Deno.args.includes("--short");
  console.log(printed(await decode(short), short));
}
