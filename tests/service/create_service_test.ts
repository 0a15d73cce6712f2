import { deepStrictEqual as equal, ok, rejects } from "node:assert/strict";
import { createService } from "../../lib/service/mod.ts";
import { breakdown, get, TOKEN } from "./call_service.ts";

const service = await createService({ tokens: [TOKEN] });
Deno.test.afterAll(() => service.close());

const bearer = { authorization: `Bearer ${TOKEN}` };

const BREAKDOWN = { metric_ids: ["fees"], interval: "30d", group_by: "chains" };

function send(path: string, init: RequestInit = {}): Promise<Response> {
  return service.fetch(new Request(`http://localhost${path}`, { headers: bearer, ...init }));
}

Deno.test("createService creates a token by default, and accepts it", async () => {
  const open = await createService();
  equal(open.tokens.length, 1);
  const path = "http://localhost/v2/datasets/blockchain_comparison?limit=1";
  const headers = { authorization: `Bearer ${open.tokens[0]}` };
  equal((await open.fetch(new Request(path, { headers }))).status, 200);
  equal((await open.fetch(new Request(path, { headers: bearer }))).status, 403);
  await open.close();
});

Deno.test("createService refuses an empty list of tokens, and invalid tokens", async () => {
  await rejects(createService({ tokens: [] }), { name: "TypeError" });
  await rejects(createService({ tokens: ["good", "secret word"] }), (error: Error) => {
    equal(error.message.includes("secret word"), false);
    equal(error.message.includes("token 2 of 2"), true);
    return true;
  });
});

Deno.test("createService names an option that is unknown or out of range", async () => {
  const secret = "secret-of-mine" as never;
  await rejects(
    createService({ tokens: secret }),
    /^TypeError: createService: tokens: must be a list of at least one token$/,
  );
  for (
    const [options, message] of [
      [{ token: ["secret-of-mine"] }, "createService: token: did you mean tokens?"],
      [
        { rateLimit: { requests: 0 } },
        "rateLimit: requests: must be a whole number of at least 1; got 0",
      ],
      [
        { rateLimit: { requests: 1.5 } },
        "rateLimit: requests: must be a whole number of at least 1; got 1.5",
      ],
      [
        { rateLimit: { requests: 1, seconds: 0 } },
        "rateLimit: seconds: must be a number of at least 0.001; got 0",
      ],
    ] as const
  ) {
    await rejects(createService(options as never), (error: Error) => {
      equal(error.name, "RangeError");
      ok(error.message.includes(message), error.message);
      return !error.message.includes("secret");
    });
  }
});

Deno.test("createService answers 500 without internal details", async () => {
  const errors: unknown[] = [];
  const broken = await createService({ tokens: [TOKEN], onError: (error) => errors.push(error) });
  await broken.close();
  const { status, body } = await get(broken, "/v2/datasets/cohort_analysis");
  equal([status, body], [500, {
    message: "The service failed.",
    errors: [{ code: "INTERNAL", field: "", value: "" }],
  }]);
  equal(errors.length, 1);
});

Deno.test("createService answers even if its log throws", async () => {
  const errors: unknown[] = [];
  const full = () => {
    throw new Error("the disk is full");
  };
  const told = await createService({ tokens: [TOKEN], log: full, onError: (e) => errors.push(e) });
  equal((await get(told, "/v2/projects/tidewater")).status, 200);
  equal(errors.map(String), ["Error: the disk is full"]);
  await told.close();
  const silent = await createService({ tokens: [TOKEN], log: full, onError: full });
  equal((await get(silent, "/v2/projects/tidewater")).status, 200);
  await silent.close();
});

Deno.test("createService puts no text of a request into SQL", async () => {
  const nasty = ["'; DROP SCHEMA data CASCADE; --", '" OR 1=1', "$limit", "\u0000", "%' --", "?"];
  for (const id of nasty) {
    const path = `/v2/metric-aggregations?project_ids=${encodeURIComponent(id)}`;
    equal((await get(service, path)).body, {
      data: [],
      errors: [{ code: "NOT_FOUND", field: "project_ids", value: id }],
    });
    const { body } = await breakdown(service, { ...BREAKDOWN, chain_ids: [id] });
    equal(body.errors, [{ code: "NOT_FOUND", field: "chain_ids", value: id }]);
    equal((await get(service, `/v2/projects/${encodeURIComponent(id)}`)).status, 404);
    const dataset = `/v2/datasets/project_contracts?chain_ids=${encodeURIComponent(id)}`;
    equal((await get(service, dataset)).body, { data: [] });
    const order = `/v2/datasets/project_contracts?order_by=${encodeURIComponent(id)}`;
    equal((await get(service, order)).status, 400);
  }
});

Deno.test("createService gives the same bytes each time", async () => {
  const other = await createService({ tokens: [TOKEN] });
  const paths = [
    "/v2/datasets/blockchain_comparison",
    "/v2/datasets/project_contracts",
    "/v2/datasets/cohort_analysis",
    "/v2/metric-aggregations",
    "/v2/projects/tidewater",
  ];
  for (const path of paths) {
    const here = await (await send(path)).text();
    const request = new Request(`http://localhost${path}`, { headers: bearer });
    equal(await (await other.fetch(request)).text(), here);
  }
  const body = { metric_ids: ["fees", "active_users"], interval: "90d", group_by: "chain-product" };
  equal((await breakdown(other, body)).body, (await breakdown(service, body)).body);
  await other.close();
});

Deno.test("createService names the allowed values of a bad parameter", async () => {
  const { body } = await get(service, "/v2/datasets/cohort_analysis?order_by=month_12");
  equal(
    body.message,
    "order_by: must be one of project_name, project_id, market_sector_id, market_sector_name, " +
      "cohort, initial_cohort_size, month_0, month_1, month_2, month_3, month_4, month_5, month_6, " +
      'month_7, month_8, month_9, month_10, month_11; got "month_12" ' +
      "(did you mean month_1?).",
  );
  equal(body.errors, [{ code: "INVALID_PARAMETER", field: "order_by", value: "month_12" }]);
});

Deno.test("createService lists the methods of a path", async () => {
  equal((await send("/v2/metric-breakdown")).headers.get("allow"), "POST");
  equal((await send("/v2/projects/x", { method: "PUT" })).headers.get("allow"), "GET, HEAD");
});

Deno.test("createService never returns the token in an error", async () => {
  const headers = { authorization: "Bearer secret-of-mine" };
  const text = await (await send("/v2/datasets/cohort_analysis", { headers })).text();
  equal(text.includes("secret-of-mine"), false);
});

Deno.test("metric breakdown returns existing entities and reports missing ones", async () => {
  const { status, body } = await breakdown(service, {
    metric_ids: ["fees", "no_metric"],
    interval: "30d",
    group_by: "chain-project",
    project_ids: ["tidewater", "no-project"],
    product_ids: ["no-product", "tidewater-swap"],
    chain_ids: ["alder", "nowhere"],
    market_sector_ids: ["no-sector", "exchanges-dex"],
  });
  equal(status, 200);
  equal(body.errors, [
    { code: "NOT_FOUND", field: "metric_ids", value: "no_metric" },
    { code: "NOT_FOUND", field: "project_ids", value: "no-project" },
    { code: "NOT_FOUND", field: "product_ids", value: "no-product" },
    { code: "NOT_FOUND", field: "chain_ids", value: "nowhere" },
    { code: "NOT_FOUND", field: "market_sector_ids", value: "no-sector" },
  ]);
  equal(body.data.length, 1);
  const [item] = body.data;
  equal([item.data_id, item.chain_id, item.product_id], ["tidewater", "alder", null]);
  equal(Object.keys(item.metrics), ["fees"]);
  equal(Object.keys(item.metrics.fees), ["sum", "avg", "latest", "change", "trend", "days"]);
});

Deno.test("metric breakdown has no errors member if everything was found", async () => {
  const { body } = await breakdown(service, { ...BREAKDOWN, chain_ids: ["alder"] });
  equal(Object.keys(body), ["data"]);
});

Deno.test("metric breakdown selects nothing if none of the ids exist", async () => {
  const { body } = await breakdown(service, { ...BREAKDOWN, chain_ids: ["nowhere"] });
  equal(body, { data: [], errors: [{ code: "NOT_FOUND", field: "chain_ids", value: "nowhere" }] });
});

Deno.test("metric breakdown refuses a wrong body and names each field", async () => {
  const { status, body } = await breakdown(service, {
    metric_ids: [],
    interval: "31d",
    start: "2026-02-30",
    ordr: 1,
  });
  equal(status, 400);
  equal(body.errors, [
    { code: "INVALID_PARAMETER", field: "metric_ids", value: "[]" },
    { code: "INVALID_PARAMETER", field: "interval", value: "31d" },
    { code: "INVALID_PARAMETER", field: "group_by", value: "" },
    { code: "INVALID_PARAMETER", field: "start", value: "2026-02-30" },
    { code: "UNKNOWN_PARAMETER", field: "ordr", value: "1" },
  ]);
  const turned = { ...BREAKDOWN, start: "2026-02-02", end: "2026-02-01" };
  equal(
    (await breakdown(service, turned)).body.message,
    'start: must not be after end; got "2026-02-02".',
  );
});

Deno.test("metric breakdown refuses a body that is not JSON or too large", async () => {
  const post = (type: string, body: BodyInit) =>
    send("/v2/metric-breakdown", {
      method: "POST",
      headers: { ...bearer, "content-type": type },
      body,
    });
  equal((await post("text/plain", "{}")).status, 415);
  equal((await post("application/json", "{")).status, 400);
  equal((await post("application/json", JSON.stringify("x".repeat(1_000_000)))).status, 413);
});

Deno.test("blockchain comparison agrees with the breakdown by chains", async () => {
  const { body: comparison } = await get(service, "/v2/datasets/blockchain_comparison");
  const { body: items } = await breakdown(service, {
    metric_ids: ["fees", "active_users", "tvl", "market_cap_circ"],
    interval: "30d",
    group_by: "chains",
  });
  for (const [index, chain] of comparison.data.entries()) {
    const { data_id, metrics } = items.data[index];
    equal(data_id, chain.chain_id);
    equal(metrics.fees.sum, chain.ecosystem_fees_30d_sum);
    equal(metrics.fees.trend, chain.ecosystem_fees_30d_trend);
    equal(metrics.active_users.latest, chain.active_users_daily_latest);
    equal(metrics.active_users.change, chain.active_users_daily_30d_change);
    equal(metrics.tvl.change, chain.ecosystem_tvl_30d_change);
    equal(metrics.market_cap_circ.latest, chain.market_cap_circ_latest);
  }
});

Deno.test("datasets filter, sort with nulls last in both directions, and obey limit", async () => {
  const path = "/v2/datasets/blockchain_comparison?order_by=market_cap_fd_latest";
  const ids = async (more: string) =>
    (await get(service, path + more)).body.data.map((row: { chain_id: string }) => row.chain_id);
  const all = await ids("");
  equal(await ids("&limit=2"), all.slice(0, 2));
  equal(await ids("&limit=2&order_direction=desc"), all.slice(-3, -1).reverse());
  equal(all.at(-1), "fjord");
  equal((await ids("&order_direction=desc")).at(-1), "fjord");
  equal(await ids("&chain_ids=kelp,nowhere,alder"), ["kelp", "alder"]);
  equal(await ids("&chain_ids=nowhere"), []);
});

Deno.test("project contracts combines its filters", async () => {
  const path = "/v2/datasets/project_contracts";
  const { body: all } = await get(service, path);
  equal(all.data.length, 505);
  const { body } = await get(service, `${path}?chain_ids=alder&market_sector_ids=lending,bridges`);
  type Row = { chain_id: string; market_sector_id: string };
  equal(
    body.data,
    all.data.filter((row: Row) =>
      row.chain_id === "alder" && ["lending", "bridges"].includes(row.market_sector_id)
    ),
  );
  ok(body.data.length > 5);
});

Deno.test("metric aggregations accepts a list, the word all, or nothing", async () => {
  const path = "/v2/metric-aggregations";
  const all = (await get(service, path)).body;
  equal((await get(service, `${path}?project_ids=all&metric_ids=all`)).body, all);
  const { body } = await get(service, `${path}?project_ids=mosskeep,nope&metric_ids=fees,tvl,what`);
  equal(body.errors, [
    { code: "NOT_FOUND", field: "project_ids", value: "nope" },
    { code: "NOT_FOUND", field: "metric_ids", value: "what" },
  ]);
  type Item = { project_id: string; metric_id: string; value: string };
  equal(
    body.data,
    all.data.filter((item: Item) =>
      item.project_id === "mosskeep" && ["fees", "tvl"].includes(item.metric_id)
    ),
  );
  const values = (metric: string) =>
    body.data.filter((item: Item) => item.metric_id === metric).map((item: Item) => item.value);
  ok(values("fees").slice(0, 8).every((value: string) => Number.isFinite(Number(value))));
  ok(values("tvl").every((value: string) => value === "-"));
});

Deno.test("project returns its record, and redirects a renamed id", async () => {
  const { body } = await get(service, "/v2/projects/kora-finance");
  equal(Object.keys(body.data), [
    "name",
    "project_id",
    "symbol",
    "description",
    "market_sectors",
    "chains",
    "links",
    "aggregate_by_options",
    "metric_availability",
    "metric_definitions",
    "metric_sources",
  ]);
  equal(body.data.name, "Kōra Finance");
  equal(body.data.chains, ["basalt", "fjord"]);
  equal(body.data.metric_availability.fees, true);
  equal(body.data.metric_availability.dex_trading_volume, false);
  const moved = await send("/v2/projects/tidepool");
  equal([moved.status, moved.headers.get("location")], [308, "./tidewater"]);
});
