// Measures the way from the bytes of a response to a typed frame, whole on both sides, against
// `pl.readRecords` of the same JSON and against `JSON.parse` alone.
import { connect, pl, projectContracts } from "../../mod.ts";
import { answerBytes, type AnswerShape } from "./answers.ts";
import { growth, inTurn, type Measured, type Reach, type Sized } from "./measure.ts";

/** A kind of answer, how often it is read, and the largest ratios. */
interface Case extends AnswerShape {
  readonly name: string;
  readonly runs: number;
  readonly ofRecords?: Reach;
  readonly ofParse?: Reach;
}

const RECORDS: Reach = { ratio: 0.65 };
const PARSE: Reach = { ratio: 3.2 };

/** Four shapes of 50 MB. */
const SHAPES: readonly Case[] = [
  { name: "50 MB, short numbers", rows: 39_500, runs: 7, ofRecords: RECORDS, ofParse: PARSE },
  {
    name: "50 MB, 17 digits",
    rows: 37_000,
    digits: 17,
    runs: 7,
    ofRecords: RECORDS,
    ofParse: PARSE,
  },
  {
    name: "50 MB, 30 % null",
    rows: 46_000,
    nulls: 0.3,
    runs: 7,
    ofRecords: RECORDS,
    ofParse: PARSE,
  },
  {
    name: "50 MB, long texts",
    rows: 15_000,
    length: 200,
    runs: 7,
    ofRecords: RECORDS,
    ofParse: PARSE,
  },
];

const CASES: readonly Case[] = [
  { name: "1 kB", rows: 1, runs: 200, ofParse: { more: 3 } },
  { name: "100 kB", rows: 80, runs: 100, ofRecords: { ratio: 1.5 } },
  { name: "10 MB", rows: 8_000, runs: 21, ofRecords: RECORDS },
  ...SHAPES,
];

/** The ways to read a response, each of which returns how many rows there are. */
function waysOf(bytes: Uint8Array<ArrayBuffer>) {
  const headers = { "content-type": "application/json", "content-length": `${bytes.length}` };
  const response = () => new Response(bytes, { headers });
  const connection = connect({
    baseUrl: "http://127.0.0.1",
    token: "t0ken-of-a-bench",
    requestsPerMinute: Infinity,
    fetch: () => Promise.resolve(response()),
  });
  return {
    frame: async () => (await projectContracts({}, connection)).height,
    records: async () => pl.readRecords((await response().json()).data).height,
    parse: async () => JSON.parse(await response().text()).data.length as number,
  };
}

function withReach(measured: Measured, reach: Reach | undefined): Measured {
  return reach === undefined ? measured : { ...measured, reach };
}

async function decodeCase(
  { name, runs, ofRecords, ofParse, ...full }: Case,
  short: boolean,
): Promise<Measured[]> {
  const bytes = answerBytes({ ...full, rows: short ? Math.min(full.rows, 100) : full.rows });
  const { frame, records, parse } = waysOf(bytes);
  const [ms, ofRecordsMs, ofParseMs] = await inTurn(short ? 3 : runs, [frame, records, parse]);
  const against = (against: string, base: number) => ({
    what: `${name} to a frame`,
    against,
    ms: ms!,
    base,
  });
  return [
    withReach(against("pl.readRecords of the JSON", ofRecordsMs!), ofRecords),
    withReach(against("JSON.parse alone", ofParseMs!), ofParse),
  ];
}

/** The largest memory of a process that reads a response a few times, in megabytes. */
async function peakOf(way: string, shape: AnswerShape): Promise<number> {
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "-q", import.meta.url, way, JSON.stringify(shape)],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return Number(new TextDecoder().decode(stdout));
}

async function printPeak(way: string, shape: AnswerShape): Promise<void> {
  const ways = waysOf(answerBytes(shape));
  for (let turn = 0; turn < 3; turn++) await ways[way as keyof typeof ways]();
  const status = await Deno.readTextFile("/proc/self/status");
  console.log(Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024));
}

async function peaks(short: boolean): Promise<Measured[]> {
  if (Deno.build.os !== "linux") return [];
  const measured: Measured[] = [];
  for (const { name, rows, digits = 12, nulls = 0, length = 41 } of SHAPES) {
    const shape = { rows: short ? 100 : rows, digits, nulls, length };
    measured.push({
      what: `${name}: peak memory`,
      against: "pl.readRecords of the JSON",
      ms: await peakOf("frame", shape),
      base: await peakOf("records", shape),
      unit: "MB",
      reach: { ratio: 1.3 },
    });
  }
  return measured;
}

/** Times responses of a thousand rows, ten and a hundred times as many. */
async function decodeGrowth(short: boolean): Promise<Measured[]> {
  const sized: Sized[] = [];
  for (const size of short ? [10, 100, 1_000] : [1_000, 10_000, 100_000]) {
    const [ms] = await inTurn(short ? 1 : 7, [waysOf(answerBytes({ rows: size })).frame]);
    sized.push({ size, ms: ms! });
  }
  return growth(`${sized[0]!.size} contracts to a frame`, sized);
}

/** Times the ways in turn for every kind of answer, and how the time grows with the rows. */
export async function decode(short: boolean): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const each of CASES) measured.push(...await decodeCase(each, short));
  return [...measured, ...await peaks(short), ...await decodeGrowth(short)];
}

if (import.meta.main) await printPeak(Deno.args[0]!, JSON.parse(Deno.args[1]!));
