import { deepStrictEqual as equal, match, ok } from "node:assert/strict";
import { probe, probePage } from "../../scripts/probing/probe.ts";
import { cohortFormat, cohortUnit, nullOrder } from "../../scripts/probing/points.ts";
import { faultServer, head, reset, send } from "../http/fault_server.ts";
import { inFolder, runScript, testEveryOption } from "./run_script.ts";
import { liveService } from "./live_service.ts";

const TOKEN = "s3cret-token";
const at = (fetch: (request: Request) => Promise<Response>) => ({
  baseUrl: "http://127.0.0.1:9",
  token: TOKEN,
  fetch,
});

/** Values of days up to 10 July: fees per chain, which grow from day to day. */
const fees = (chain: number, day: number) => 1000 * chain + 10 * day * day;
const day = (text: string) => (Date.parse(text) - Date.parse("2022-06-30")) / 86_400_000;

/** A mock of the interface: the recorded rules, percent, objects as cohorts, nulls first, a limit of 2, other codes. */
function otherVariants(wins: "interval" | "dates") {
  return async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    const rows = (data: unknown[]) =>
      Response.json({ data }, { headers: { "data-through": "2022-07-10", "x-plan": "none" } });
    const limit = Number(searchParams.get("limit") ?? 2);
    if (pathname.endsWith("blockchain_comparison")) {
      if (searchParams.get("order_by")?.startsWith("chainframe")) {
        return Response.json({ errors: [{ code: "BAD_FIELD" }] }, { status: 422 });
      }
      const chains = [
        { chain_id: "a", market_cap_fd_latest: 5, ecosystem_fees_365d_sum: 60 },
        { chain_id: "b", market_cap_fd_latest: null, ecosystem_fees_365d_sum: 60 },
      ].map((row) => ({ ...row, ecosystem_fees_365d_trend: 0.5, ecosystem_fees_max_sum: 100 }));
      return rows(searchParams.has("order_by") ? chains.toReversed() : chains);
    }
    if (pathname.endsWith("cohort_analysis")) {
      const cohort = { value: "2024-05-01" };
      return rows([{ project_id: "p", cohort, initial_cohort_size: 40, month_0: 100, extra: 1 }]);
    }
    if (pathname.endsWith("project_contracts")) {
      const contract = (n: number) => ({
        project_id: "p",
        chain_id: "a",
        account_address: `0x${n}`,
      });
      return rows([1, 2, 3, 4, 5].slice(0, limit).map(contract));
    }
    if (pathname.endsWith("metric-aggregations")) {
      return rows(["fees", "wizardry"].map((metric_id) => (
        { project_id: "p", metric_id, metric_aggregation_name: "latest", value: "7" }
      )));
    }
    if (pathname.endsWith("metric-breakdown")) {
      const { interval, start, end, chain_ids } = await request.json();
      if (chain_ids) {
        return Response.json({ data: [], errors: [{ code: "NO_SUCH", field: "x", value: "y" }] });
      }
      const length = Number.parseInt(interval);
      const [from, to] = start && wins === "dates" ? [day(start), day(end)] : [11 - length, 10];
      return rows([1, 2].map((chain) => {
        const days = Array.from({ length: to - from + 1 }, (_, index) => fees(chain, from + index));
        const sum = days.reduce((a, b) => a + b);
        const change = fees(chain, 10) / fees(chain, 11 - length) - 1;
        return { data_id: `c${chain}`, metrics: { fees: { sum, change } } };
      }));
    }
    return pathname.endsWith("/p")
      ? Response.json({ data: { project_id: "p", name: "P" } })
      : Response.json({ message: "none" }, { status: 404 });
  };
}

const seenIn = ({ points }: Awaited<ReturnType<typeof probe>>) =>
  Object.fromEntries(points.map(({ point, seen, verdict }) => [point, `${seen}: ${verdict}`]));

Deno.test("probe detects every other variant", async () => {
  const report = await probe(at(otherVariants("dates")));
  equal(seenIn(report), {
    "format of cohort": 'object { "value" }: differs',
    "unit of month_0": "percent: differs",
    "interval or dates": "dates: agrees",
    "base of change over 7 days": "first day of the window: differs",
    "base of change over 30 days": "first day of the window: differs",
    "base of change over 90 days": "first day of the window: differs",
    "trend of a window before that is partly filled": "stated: differs",
    "order of null": "first: differs",
    "default limit": "2: differs",
    "header Data-Through": "YYYY-MM-DD: agrees",
  });
  equal(report.errors, {
    "unknown chain": "200 NO_SUCH",
    "unknown project": "404",
    "unknown order_by": "422 BAD_FIELD",
  });
  equal(report.metrics_without_unit, ["wizardry"]);
  equal(report.unknown_fields.cohort_analysis, ["extra"]);
  ok(report.headers.includes("x-plan"));
  equal(report.requests, 20);
});

Deno.test("probe leaves out the longest window if a request was sent twice", async () => {
  const answer = otherVariants("dates");
  let count = 0;
  const report = await probe(
    at((request) =>
      ++count === 1
        ? Promise.resolve(new Response("busy", { status: 503, headers: { "retry-after": "0" } }))
        : answer(request)
    ),
  );
  const seen = seenIn(report);
  equal(seen["base of change over 30 days"], "first day of the window: differs");
  equal(seen["base of change over 90 days"], "not seen: not seen");
  equal([report.requests, report.stopped], [18, null]);
});

Deno.test("probe does not judge the base of change where dates are ignored", async () => {
  const seen = seenIn(await probe(at(otherVariants("interval"))));
  equal(seen["interval or dates"], "interval: differs");
  for (const days of [7, 30, 90]) {
    equal(seen[`base of change over ${days} days`], "not seen: not seen");
  }
});

Deno.test("probe stops after one request if the token is refused, and survives a service that fails", async () => {
  for (const status of [401, 403]) {
    const report = await probe(
      at(() => Promise.resolve(Response.json({ message: "invalid token" }, { status }))),
    );
    equal([report.requests, report.points.every(({ verdict }) => verdict === "not seen")], [
      1,
      true,
    ]);
    match(report.stopped!, new RegExp(`answered ${status}`));
  }
  const bodies = ["", "<html>", "[]", '{"data":null}', '{"data":[1]}'];
  for (const body of bodies) {
    const report = await probe(at(() => Promise.resolve(new Response(body))));
    // A body that is no JSON is requested again, within the same 20 requests.
    ok(report.requests <= 20 && /^(null|20 requests were sent)$/.test(String(report.stopped)));
    ok(report.points.every(({ verdict }) => verdict === "not seen"), body);
  }
});

Deno.test("probe of a server that resets connections or sends part of a body ends with a reason", async () => {
  for (const fault of [reset(""), send(`${head(200, { "content-length": "99" })}{"data":[`)]) {
    await using server = faultServer(fault);
    const report = await probe({ baseUrl: server.url, token: TOKEN });
    match(report.stopped!, /^(the service cannot be reached|20 requests were sent)$/);
    ok(server.count() <= 20, `${server.count()}`);
  }
});

Deno.test("probe writes no token, no address and no value", async () => {
  const report = await probe(at(otherVariants("dates")));
  for (const text of [JSON.stringify(report), probePage(report)]) {
    for (const secret of [TOKEN, "127.0.0.1", "2024-05-01", "0x1", "1640"]) {
      ok(!text.includes(secret), secret);
    }
  }
  const shown = await probe(at(otherVariants("dates")), { withExamples: true });
  ok(JSON.stringify(shown).includes("2024-05-01"));
});

const SPELLINGS = [TOKEN, TOKEN.toUpperCase(), `x-${TOKEN}`, `${TOKEN}_sum`];
const HOSTILE = [
  "`|\n# Heading\n![x](http://a.example/p.png)",
  "<script>",
  "\x1b[2J",
  "n".repeat(61),
  "",
];

Deno.test("probe shows plain names without the token, and counts the others", async () => {
  const row = { chain_id: "a", chain_name: "A", "plain.name-1": { of: [TOKEN] } };
  const names = [...SPELLINGS, ...HOSTILE];
  const data = [{ ...row, ...Object.fromEntries(names.map((name) => [name, 1])) }];
  const headers = { [`x-${TOKEN}`]: "1", "x-plan": "a", "data-through": "2026-13-45" };
  const errors = [{ code: "SECRETTOKEN" }, { code: "BAD_FIELD" }];
  const options = at(() => Promise.resolve(Response.json({ data, errors }, { headers })));
  for (const withExamples of [false, true]) {
    const report = await probe(options, { withExamples });
    const page = probePage(report);
    for (const text of [JSON.stringify(report), page]) {
      ok(!text.toLowerCase().includes(TOKEN), text);
      // deno-lint-ignore no-control-regex -- a control character must not be written
      ok(!/Heading|script|\x1b|nnnnnnnnnn/.test(text), text);
    }
    equal(report.unknown_fields.blockchain_comparison, ["plain.name-1"]);
    equal(report.names_not_shown.blockchain_comparison, names.length);
    match(page, /^Unknown fields: `plain\.name-1`, 9 names not shown$/m);
    match(page, /`x-plan`, 1 name not shown$/m);
    equal(seenIn(report)["header Data-Through"], "another form: differs");
    equal(report.errors["unknown chain"], "200 BAD_FIELD SECRETTOKEN");
    const [example] = report.fields.blockchain_comparison!.filter(({ field }) =>
      /plain/.test(field)
    );
    equal(example!.examples, withExamples ? [{ of: ["[token]"] }] : undefined);
  }
});

Deno.test("probe reads a body once, within the limits of the client", async () => {
  const chunk = new Uint8Array(2 ** 24).fill(32);
  let pulled = 0;
  const endless = () =>
    new ReadableStream({
      pull: (controller) => {
        pulled += chunk.length;
        controller.enqueue(chunk);
      },
    }, { highWaterMark: 0 });
  // A header of a body that `fetch` has decoded must not be read again.
  const headers = { "content-encoding": "gzip" };
  const report = await probe(at(() => Promise.resolve(new Response(endless(), { headers }))));
  ok(report.requests > 5);
  const most = 2 ** 28 + 3 * chunk.length;
  ok(pulled <= report.requests * most, `${pulled / report.requests} bytes of each`);

  const started = performance.now();
  const slow = at(() => Promise.resolve(new Response(new ReadableStream({}))));
  const late = await probe({ ...slow, timeout: 20, deadline: 50 });
  ok(late.points.every(({ verdict }) => verdict === "not seen"));
  ok(performance.now() - started < 5_000);

  const answer = otherVariants("dates");
  const gzipped = await probe(at(async (request) => {
    const { body, status, headers: own } = await answer(request);
    return new Response(body, { status, headers: { ...Object.fromEntries(own), ...headers } });
  }));
  equal(gzipped.metrics_without_unit, ["wizardry"]);
});

Deno.test("probe.ts replaces files only with --force, and then whole", () =>
  inFolder(async (folder) => {
    const page = `${folder}/probe.md`;
    await Deno.writeTextFile(page, "my notes");
    let asked = 0;
    const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => {
      asked++;
      return Response.json({ data: [] });
    });
    const env = {
      CHAINFRAME_BASE_URL: `http://127.0.0.1:${server.addr.port}`,
      CHAINFRAME_TOKEN: TOKEN,
    };
    const run = (...args: string[]) => runScript("probe.ts", ["--out", folder, ...args], { env });
    const refused = await run();
    equal([refused.code, asked, await Deno.readTextFile(page)], [2, 0, "my notes"]);
    match(refused.stderr, /^probe\.ts: path: exists; pass force to replace it; got .*probe\.md/);
    equal((await run("--force")).code, 0);
    match(await Deno.readTextFile(page), /^# What the service answers/);
    equal([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), ["probe.json", "probe.md"]);
    await server.shutdown();
  }));

Deno.test("cohortFormat, cohortUnit and nullOrder name each variant", () => {
  const formats: [unknown, string | null][] = [
    ["2024-05", "YYYY-MM"],
    ["2024-5", "YYYY-M"],
    ["2024-05-01", "YYYY-MM-DD"],
    ["2024-05-01T00:00:00Z", "date with time"],
    ["May 2024", "month and year in words"],
    ["mai 2024", "month and year in words, not read as months"],
    ["202405", "six digits"],
    [1714521600000, "milliseconds"],
    ["Q1 2024", "another form, not read as months"],
    [null, null],
  ];
  for (const [cohort, format] of formats) equal(cohortFormat([{ cohort }]), format);
  const unit = (month_0: unknown) => cohortUnit([{ month_0, initial_cohort_size: 40 }]);
  equal([1, 100, 40, 7, null].map(unit), ["fraction", "percent", "count", "another unit", null]);
  const order = (...values: unknown[]) => nullOrder(values.map((x) => ({ x })), "x");
  equal([order(2, null), order(null, 2), order(2, null, 1), order(2, 1)], [
    ...["last", "first", "between values"],
    null,
  ]);
});

Deno.test("probe.ts writes what the reference service answers: all points agree", () =>
  inFolder(async (folder) => {
    const service = await liveService();
    const file = `${folder}/token`;
    try {
      await Deno.writeTextFile(file, service.env.CHAINFRAME_TOKEN, { mode: 0o600 });
      const { code, stdout, stderr } = await runScript(
        "probe.ts",
        ["--out", `${folder}/probe`, "--token-file", file, "--with-examples"],
        { env: { CHAINFRAME_BASE_URL: service.env.CHAINFRAME_BASE_URL } },
      );
      equal(code, 0, stderr);
      match(stdout, /^format of cohort: agrees \(YYYY-MM\)\n/);
      const report = JSON.parse(await Deno.readTextFile(`${folder}/probe/probe.json`));
      equal(
        [...new Set(report.points.map(({ verdict }: { verdict: string }) => verdict))],
        ["agrees"],
      );
      match(await Deno.readTextFile(`${folder}/probe/probe.md`), /\| default limit +\| all rows/);
    } finally {
      await service.close();
    }
  }));

testEveryOption("probe.ts");
