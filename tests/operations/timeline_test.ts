import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import type { ConnectOptions } from "../../lib/http/settings.ts";
import { connect } from "../../lib/http/connect.ts";
import { NotFoundError, QueryError, ResponseError } from "../../lib/http/errors.ts";
import { timeline, type TimelineQuery } from "../../lib/operations/timeline.ts";
import type { DataFrame } from "../../lib/table/columns/polars.ts";
import { errorsOf, provenanceOf } from "../../lib/table/track/provenance.ts";
import { hearing } from "../http/hearing.ts";
import { type ManualClock, manualClock } from "../http/manual_clock.ts";
import { playing } from "../http/playing.ts";

const QUERY = {
  metric_ids: ["fees"],
  group_by: "chains",
  every: "month",
  from: "2025-01",
  to: "2025-03",
} as const;

interface Body {
  readonly start: string;
  readonly end: string;
  readonly [name: string]: unknown;
}

/** The response to a period, with headers if they matter. */
type Told = (body: Body) => Response;

function row(data_id: string, metrics: unknown): unknown {
  return { data_id, chain_id: data_id, product_id: null, metrics };
}

/** One row for each period, whose fees are its first month's number. */
function told(headers: Record<string, string> = {}): Told {
  return ({ start }) =>
    Response.json({ data: [row("alder", { fees: Number(start.slice(5, 7)) })] }, { headers });
}

interface Asking {
  readonly query?: Partial<TimelineQuery>;
  readonly options?: ConnectOptions;
  readonly clock?: ManualClock;
}

/** Calls timeline on 1 January 2026, and returns the requested periods. */
async function asked(play: Told, { query, options, clock = manualClock() }: Asking = {}) {
  const bodies: Body[] = [];
  const { connection } = playing(
    async (request) => {
      const body = await request.json();
      bodies.push(body);
      return play(body);
    },
    options,
    clock,
  );
  const frames: DataFrame[] = [];
  const heard = await hearing(async () => {
    const asking = timeline({ ...QUERY, ...query } as TimelineQuery, connection);
    frames.push(await clock.finish(asking));
  });
  return { frame: frames[0]!, bodies, heard };
}

function days(frame: DataFrame): string[] {
  return (frame.select("date", "until", "complete").rows() as [Date, Date, boolean][]).map((
    [date, until, complete],
  ) =>
    `${date.toISOString().slice(0, 10)} ${until.toISOString().slice(0, 10)}${complete ? "" : " …"}`
  );
}

Deno.test("timeline sends one request per period, and no others", async () => {
  const { frame, bodies, heard } = await asked(told(), { query: { chain_ids: ["alder"] } });
  deepStrictEqual(
    bodies,
    [["2025-01-01", "2025-01-31"], ["2025-02-01", "2025-02-28"], ["2025-03-01", "2025-03-31"]]
      .map(([start, end]) => ({
        metric_ids: ["fees"],
        interval: "max",
        group_by: "chains",
        chain_ids: ["alder"],
        start,
        end,
      })),
  );
  deepStrictEqual(frame.columns, [
    "date",
    "until",
    "complete",
    "data_id",
    "chain_id",
    "product_id",
    "fees",
  ]);
  deepStrictEqual(frame.dtypes.map((dtype) => String(dtype.variant)), [
    "Date",
    "Date",
    "Bool",
    "String",
    "String",
    "String",
    "Float64",
  ]);
  deepStrictEqual(days(frame), [
    "2025-01-01 2025-01-31",
    "2025-02-01 2025-02-28",
    "2025-03-01 2025-03-31",
  ]);
  deepStrictEqual(frame.getColumn("fees").toArray(), [1, 2, 3]);
  deepStrictEqual(heard, []);
});

Deno.test("timeline requests whole periods, including those of both ends", async () => {
  const cases: [every: TimelineQuery["every"], from: string, to: string, periods: string][] = [
    [
      "month",
      "2025-01-17",
      "2025-03-02",
      "2025-01-01 2025-01-31, 2025-02-01 2025-02-28, 2025-03-01 2025-03-31",
    ],
    ["week", "2025-01", "2025-01-06", "2024-12-30 2025-01-05, 2025-01-06 2025-01-12"],
    ["week", "2020-12-31", "2021-01-04", "2020-12-28 2021-01-03, 2021-01-04 2021-01-10"],
    ["quarter", "2024-12", "2025-01", "2024-10-01 2024-12-31, 2025-01-01 2025-03-31"],
    ["year", "2024-06", "2024", "2024-01-01 2024-12-31"],
    // Inside of one period the ends may lie either way, as long as they touch.
    ["year", "2025", "2025-03", "2025-01-01 2025-12-31"],
    ["day", "2024-02-29", "2024-03-01", "2024-02-29 2024-02-29, 2024-03-01 2024-03-01"],
  ];
  for (const [every, from, to, periods] of cases) {
    const { bodies } = await asked(told(), { query: { every, from, to } });
    strictEqual(bodies.map(({ start, end }) => `${start} ${end}`).join(", "), periods);
  }
  const counts = [["week", "2020", 53], ["day", "2024", 366], ["day", "2025-02", 28]] as const;
  for (const [every, from, count] of counts) {
    const { frame } = await asked(told(), { query: { every, from, to: from } });
    strictEqual(frame.height, count);
  }
});

Deno.test("timeline ends with the current period without `to`", async () => {
  const clock = manualClock(() => 0.5, Date.parse("2025-02-03T23:30:00-02:00"));
  const { frame } = await asked(told(), { query: { to: undefined } as object, clock });
  deepStrictEqual(days(frame), ["2025-01-01 2025-01-31", "2025-02-01 2025-02-28 …"]);
});

Deno.test("timeline keeps the provenance of all responses, and each error once", async () => {
  const errors = [{ code: "NOT_FOUND", field: "chain_ids", value: "nowhere" }];
  const play: Told = ({ start }) =>
    Response.json({ data: [row("alder", { fees: start.length })], errors }, {
      headers: { "Data-Through": start, "Data-Since": "2024-06-01" },
    });
  const query = { chain_ids: ["alder", "nowhere"] };
  const { frame, heard } = await asked(play, { query });
  deepStrictEqual(errorsOf(frame).rows(), [["NOT_FOUND", "chain_ids", "nowhere"]]);
  const { operation, requests, query: kept, data_through, data_since } = provenanceOf(frame);
  deepStrictEqual([operation, requests, kept], ["metric_breakdown", 3, { ...QUERY, ...query }]);
  deepStrictEqual([data_through, data_since], [new Date("2025-01-01"), new Date("2024-06-01")]);
  strictEqual(heard.filter((line) => line.includes("nowhere")).length, 1);
  await rejects(asked(play, { query, options: { onMissing: "throw" } }), NotFoundError);
});

Deno.test("timeline has the columns of all periods, and no row for an empty period", async () => {
  const rows = [
    [],
    [row("birch", { fees: { sum: 5, trend: 0.5 } }), row("alder", { fees: { sum: 4 } })],
    [{ ...row("alder", { fees: 3 }) as object, tier: "one" }],
  ];
  const { frame } = await asked(({ start }) =>
    Response.json({ data: rows[Number(start.slice(5, 7)) - 1] })
  );
  deepStrictEqual(frame.columns.slice(3), [
    "data_id",
    "chain_id",
    "product_id",
    "fees",
    "fees_sum",
    "fees_trend",
    "tier",
  ]);
  deepStrictEqual(frame.select("data_id", "fees", "fees_sum", "fees_trend", "tier").rows(), [
    ["birch", null, 5, 0.5, null],
    ["alder", null, 4, null, null],
    ["alder", 3, null, null, "one"],
  ]);
  deepStrictEqual(days(frame).map((text) => text.slice(0, 7)), ["2025-02", "2025-02", "2025-03"]);
  const none = await asked(() => Response.json({ data: [] }));
  deepStrictEqual([none.frame.height, none.frame.columns.length], [0, 7]);
});

Deno.test("complete is derived from the days that the service states, else from the day of the response", async () => {
  const complete = async (headers: Record<string, string>, now: string) => {
    const clock = manualClock(() => 0.5, Date.parse(now));
    const { frame } = await asked(told(headers), { clock });
    return frame.getColumn("complete").toArray();
  };
  const cases: [headers: Record<string, string>, now: string, complete: boolean[]][] = [
    [{}, "2025-04-01T00:00:00Z", [true, true, true]],
    [{}, "2025-03-31T23:59:59.999Z", [true, true, false]],
    [{}, "2025-02-28T12:00:00Z", [true, false, false]],
    [{ "Data-Through": "2025-03-31" }, "2025-03-01T00:00:00Z", [true, true, true]],
    [{ "Data-Through": "2025-03-30" }, "2026-03-01T00:00:00Z", [true, true, false]],
    [{ "Data-Since": "2025-01-01" }, "2026-03-01T00:00:00Z", [true, true, true]],
    [{ "Data-Since": "2025-01-02" }, "2026-03-01T00:00:00Z", [false, true, true]],
    [{ "Data-Through": "someday" }, "2026-03-01T00:00:00Z", [true, true, true]],
  ];
  for (const [headers, now, expected] of cases) {
    deepStrictEqual(await complete(headers, now), expected, JSON.stringify([headers, now]));
  }
});

Deno.test("timeline begins with the stated first day, and periods after the data keep their rows, with one warning each", async () => {
  const empty: Told = () =>
    Response.json({ data: [row("alder", { fees: null })] }, {
      headers: { "Data-Since": "2025-02-10", "Data-Through": "2025-02-20" },
    });
  const { frame, heard } = await asked(empty, { query: { from: "2024-12", to: "2025-04" } });
  strictEqual(frame.height, 3);
  deepStrictEqual(frame.getColumn("complete").toArray(), [false, false, false]);
  deepStrictEqual(heard, [
    'timeline: begins with 2025-02-01, because the data begin on 2025-02-10; from was "2024-12"',
    "timeline: 2 of 3 periods are after the data: 2025-03-01 and later",
  ]);
});

Deno.test("timeline of periods before the data gives one row, with a warning", async () => {
  const { frame, heard } = await asked(told({ "Data-Since": "2025-12-25" }), {
    query: { from: "2010-01", to: "2010-03" },
  });
  deepStrictEqual([frame.height, frame.getColumn("complete").toArray()], [1, [false]]);
  deepStrictEqual(heard, [
    "timeline: all periods are before the data, which begin on 2025-12-25",
  ]);
});

Deno.test("timeline by day from 1998 requests the days since the stated first day", async () => {
  const { frame, bodies, heard } = await asked(told({ "Data-Since": "2025-12-25" }), {
    query: { every: "day", from: "1998", to: "2025-12-31" },
    options: { requestsPerMinute: Infinity },
  });
  deepStrictEqual([frame.height, bodies.length, bodies[0]!.start], [7, 8, "1998-01-01"]);
  deepStrictEqual(heard, [
    'timeline: begins with 2025-12-25, because the data begin on 2025-12-25; from was "1998"',
  ]);
});

Deno.test("timeline sends at most 5 000 requests, unless maxRequests allows more", async () => {
  const query = { every: "day", from: "1998", to: "2025-12-31" } as const;
  const options = { requestsPerMinute: Infinity };
  let sent = 0;
  const play: Told = (body) => {
    sent++;
    return told()(body);
  };
  await rejects(asked(play, { query, options }), {
    name: "QueryError",
    message:
      "timeline: from: needs 10227 requests, to 2025-12-31: pass a later from, an earlier to, or " +
      'maxRequests: 10227; got "1998"',
  });
  strictEqual(sent, 1);
  const few = { every: "day", from: "2025-09-01", to: "2025-12-31" } as const;
  await rejects(asked(play, { query: { ...few, maxRequests: 100 }, options }), /maxRequests: 122/);
  const all = await asked(play, { query: { ...few, maxRequests: 122 }, options });
  strictEqual(all.frame.height, 122);
});

Deno.test("five periods with identical data of three digits give one warning", async () => {
  const alike = (data: unknown, to = "2025-05") =>
    asked(() => Response.json({ data }), { query: { to } });
  const data = [row("alder", { fees: { sum: 5.25 } })];
  deepStrictEqual((await alike(data)).heard, [
    "timeline: 5 of 5 periods returned identical data (2025-01-01, 2025-02-01, 2025-03-01, …): the service may ignore start and end",
  ]);
  deepStrictEqual((await alike(data, "2025-04")).heard, []);
  const small = { fees: { sum: 0, trend: -17 } };
  for (const metrics of [{ fees: null }, small, {}, { fees: 0.0012 }, { fees_365d: null }]) {
    deepStrictEqual((await alike([row("alder", metrics)])).heard, [], JSON.stringify(metrics));
  }
  deepStrictEqual((await alike([])).heard, []);
});

Deno.test("timeline refuses a bad query before a request is sent, and lists allowed values", async () => {
  const cases: [query: object, message: RegExp][] = [
    [{ every: "fortnight" }, /^timeline: every: must be one of day, week, month, quarter, year/],
    [{ every: undefined }, /^timeline: every: is required/],
    [{ from: undefined }, /^timeline: from: is required/],
    [{ metric_ids: undefined }, /^timeline: metric_ids: is required/],
    [{ group_by: undefined }, /^timeline: group_by: is required/],
    ...[2025, "25-01", "2025-1", "2025-W01", "0025-01-01", "", null, new Date(0), "2025-02-29"]
      .map((from): [object, RegExp] => [{ from }, /^timeline: from: must be a day, a month or/]),
    [{ to: "2025-00" }, /^timeline: to: must be a day, a month or a year that exists/],
    [{ to: "2025-13" }, /^timeline: to: must be a day, a month or a year that exists/],
    [{ from: "2025-04" }, /^timeline: from: must not be after to \(2025-03\); got "2025-04"$/],
    [
      { from: "2026-02", to: undefined },
      /^timeline: from: must not be after to \(today, 2026-01-01\); got "2026-02"$/,
    ],
    [{ settle: -1 }, /^timeline: settle: must be a whole number of at least 0; got -1$/],
    [{ interval: "30d" }, /^timeline: interval: did you mean every\?/],
    [{ start: "2025-01-01" }, /^timeline: start: did you mean from\? known: metric_ids/],
    [{ metric_ids: [] }, /^timeline: metric_ids: must have at least one id/],
  ];
  for (const [query, message] of cases) {
    const unasked: Told = () => {
      throw new Error("must not be asked");
    };
    await rejects(asked(unasked, { query }), (error: Error) => {
      ok(error instanceof QueryError, String(error));
      ok(message.test(error.message), error.message);
      return true;
    });
  }
});

Deno.test("a field with the name of a period column is refused", async () => {
  for (const name of ["date", "until", "complete"]) {
    const play: Told = () => Response.json({ data: [{ ...row("a", {}) as object, [name]: 1 }] });
    await rejects(asked(play), (error: ResponseError) => {
      ok(error instanceof ResponseError);
      strictEqual(error.field, name);
      return true;
    });
  }
});

Deno.test("the error of a wrong type names the response and its row", async () => {
  const play: Told = ({ start }) =>
    Response.json({ data: [row("a", { fees: 1 }), start < "2025-03" ? row("b", {}) : "what?"] });
  await rejects(asked(play), (error: ResponseError) => {
    ok(error instanceof ResponseError, String(error));
    deepStrictEqual([error.row, error.field, error.got], [1, "data", "what?"]);
    ok(error.body.includes("what?"));
    return true;
  });
});

Deno.test("timeline obeys rate limit, concurrency and shared requests of its connection", async () => {
  let under = 0;
  let most = 0;
  let sent = 0;
  const connection = connect({
    baseUrl: "http://127.0.0.1:9",
    token: "t0ken",
    concurrency: 3,
    requestsPerMinute: Infinity,
    fetch: async (request) => {
      sent++;
      most = Math.max(most, ++under);
      const body: Body = await request.json();
      await new Promise((done) => setTimeout(done, 5));
      under--;
      return told()(body);
    },
  });
  const query = { ...QUERY, to: "2025-12" } as const;
  const [one, other] = await Promise.all([
    timeline(query, connection),
    timeline(query, connection),
  ]);
  deepStrictEqual(one.rows(), other.rows());
  deepStrictEqual([most <= 3, sent], [true, 12]);
  const clock = manualClock();
  await asked(told(), { clock, query: { to: "2025-12" }, options: { requestsPerMinute: 6 } });
  strictEqual(clock.elapsed(), 60_500, "six requests, and six a minute later");
});

Deno.test("timeline reports progress, and ends with the signal's reason", async () => {
  const steps: string[] = [];
  const onProgress = (
    { operation, done, total }: { operation: string; done: number; total: number },
  ) => steps.push(`${operation} ${done} of ${total}`);
  await asked(told(), { options: { onProgress } });
  deepStrictEqual(steps, [0, 1, 2].map((done) => `metric_breakdown ${done} of 2`));
  const controller = new AbortController();
  const reason = new Error("enough");
  const play: Told = () => {
    controller.abort(reason);
    return new Response("late", { status: 503 });
  };
  await rejects(asked(play, { options: { signal: controller.signal } }), reason);
});

Deno.test("24 months with 50 ms latency and a concurrency of 8 take four latencies", async () => {
  const clock = manualClock();
  const { connection } = playing(
    async (request) => {
      const body: Body = await request.json();
      await clock.sleep(50, new AbortController().signal);
      return told()(body);
    },
    { concurrency: 8 },
    clock,
  );
  await clock.finish(timeline({ ...QUERY, from: "2024-01", to: "2025-12" }, connection));
  strictEqual(clock.elapsed(), 200);
});
