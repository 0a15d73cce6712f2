import { TOKEN } from "./call_service.ts";
import type { SentRequest } from "./sent_request.ts";

/** A request that the tests send, and the status that its response has. */
export interface CorpusRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly status: number;
  /** @default the usual code of the status */
  readonly code?: string;
  /** @default the token of the tests */
  readonly authorization?: string | null;
  readonly body?: unknown;
  /** @default "application/json" where there is a body */
  readonly type?: string;
}

const BREAKDOWN = { metric_ids: ["fees"], interval: "30d", group_by: "chains" };
const DATASETS = ["blockchain_comparison", "project_contracts", "cohort_analysis"];
/** The intervals of a breakdown. */
export const INTERVALS = ["24h", "7d", "30d", "90d", "180d", "365d", "ytd", "max"];
/** The groupings of a breakdown. */
export const GROUP_BYS = [
  "projects",
  "chains",
  "chain-project",
  "chain-product",
  "chain-market-sector",
  "market-sector",
  "product",
];

function get(path: string, status = 200): CorpusRequest {
  return { method: "GET", path, status };
}

function post(body: unknown, status = 200): CorpusRequest {
  return { method: "POST", path: "/v2/metric-breakdown", status, body };
}

/** Requests of every kind of answer, good and bad, to a service on sample data. */
export const REQUEST_CORPUS: readonly CorpusRequest[] = [
  ...DATASETS.flatMap((name) => [
    get(`/v2/datasets/${name}`),
    get(`/v2/datasets/${name}?limit=51`),
    get(`/v2/datasets/${name}?limit=2&order_direction=desc`),
    get(`/v2/datasets/${name}?limit=0`, 400),
    get(`/v2/datasets/${name}?limit=ten`, 400),
    get(`/v2/datasets/${name}?order_by=nothing`, 400),
    get(`/v2/datasets/${name}?order_direction=up`, 400),
    { ...get(`/v2/datasets/${name}`, 401), authorization: null },
    { ...get(`/v2/datasets/${name}`, 401), authorization: "Basic eA==", code: "MALFORMED_TOKEN" },
    { ...get(`/v2/datasets/${name}`, 403), authorization: "Bearer unknown" },
    { ...get(`/v2/datasets/${name}`, 405), method: "DELETE" as const },
  ]),
  get("/v2/datasets/blockchain_comparison?chain_ids=alder,nowhere&order_by=ecosystem_fees_30d_sum"),
  get("/v2/datasets/blockchain_comparison?chain_ids=alder&limit=3"),
  get("/v2/datasets/project_contracts?project_ids=tidewater&chain_ids=alder,basalt"),
  get("/v2/datasets/project_contracts?market_sector_ids=lending&order_by=account_title"),
  get("/v2/datasets/cohort_analysis?project_ids=vellum,tidewater&order_by=month_3&limit=7"),
  get("/v2/datasets/cohort_analysis?market_sector_ids=nowhere"),
  { ...get("/v2/datasets/cohort_analysis", 401), authorization: "Bearer", code: "MALFORMED_TOKEN" },
  get("/v2/datasets/cohort_analysis?limit=1.5", 400),
  get("/v2/datasets/cohort_analysis?limit=1&limit=2", 400),
  get("/v2/datasets/cohort_analysis?order_by=month_12", 400),
  get("/v2/datasets/cohort_analysis?project_ids=", 400),
  get("/v2/datasets/cohort_analysis?project_ids=a,,b", 400),
  { ...get("/v2/datasets/cohort_analysis?chain_ids=alder", 400), code: "UNKNOWN_PARAMETER" },
  get("/v2/metric-breakdown", 405),
  get("/v2/datasets/blockchain_comparison?chain_ids=alder&chain_ids=basalt,fjord"),
  get("/v2/datasets/blockchain_comparison?chain_ids=all&limit=5.0"),
  get("/v2/datasets/blockchain_comparison?chain_ids=alder,%20basalt", 400),
  get("/v2/datasets/blockchain_comparison?chain_ids=alder&chain_ids=", 400),
  get("/v2/projects/tidewater%20", 400),
  get("/v2/projects/tidewater"),
  get("/v2/projects/kora-finance"),
  get("/v2/projects/nowhere", 404),
  get("/v2/projects/tidepool", 308),
  get("/v2/metric-aggregations?project_ids=tidewater"),
  get("/v2/metric-aggregations?project_ids=tidewater,nowhere&metric_ids=fees,nothing"),
  get("/v2/metric-aggregations?project_ids=all&metric_ids=tvl"),
  get("/v2/metric-aggregations?metric_ids=all&project_ids=mosskeep"),
  get("/v2/nothing", 404),
  ...GROUP_BYS.flatMap((group_by) =>
    INTERVALS.map((interval) => post({ ...BREAKDOWN, group_by, interval }))
  ),
  post({ ...BREAKDOWN, metric_ids: ["fees", "active_users", "tvl", "market_cap_fd", "nothing"] }),
  post({ ...BREAKDOWN, start: "2026-01-01" }),
  post({ ...BREAKDOWN, end: "2026-01-01" }),
  post({ ...BREAKDOWN, start: "2026-01-01", end: "2026-01-31" }),
  post({ ...BREAKDOWN, start: "2026-02-01", end: "2026-01-31" }, 400),
  post({ ...BREAKDOWN, start: "2026-02-30" }, 400),
  post({ ...BREAKDOWN, chain_ids: ["alder", "nowhere"], project_ids: ["nowhere"] }),
  post({ ...BREAKDOWN, chain_ids: [] }, 400),
  post({ ...BREAKDOWN, metric_ids: [] }, 400),
  post({ ...BREAKDOWN, metric_ids: "fees" }, 400),
  post({ ...BREAKDOWN, metric_ids: [1] }, 400),
  post({ ...BREAKDOWN, interval: "31d" }, 400),
  post({ ...BREAKDOWN, group_by: "chain" }, 400),
  post({ ...BREAKDOWN, chain_ids: null, project_ids: null, start: null, end: null }),
  post({ ...BREAKDOWN, metric_ids: null }, 400),
  post({ ...BREAKDOWN, chain_ids: [" alder"] }, 400),
  { ...post(BREAKDOWN, 400), path: "/v2/metric-breakdown?interval=7d", code: "UNKNOWN_PARAMETER" },
  { ...post({ ...BREAKDOWN, nothing: 1 }, 400), code: "UNKNOWN_PARAMETER" },
  post({}, 400),
  post([], 400),
  { ...post(BREAKDOWN, 415), type: "text/plain" },
  { ...post(BREAKDOWN, 401), authorization: null },
];

/** Returns a request of the corpus as it is sent. */
export function sentOf(request: CorpusRequest): SentRequest {
  const { method, path, body, authorization = `Bearer ${TOKEN}` } = request;
  const type = request.type ?? "application/json";
  return {
    method,
    path,
    headers: {
      ...authorization === null ? {} : { authorization },
      ...body === undefined ? {} : { "content-type": type },
    },
    body: body === undefined ? null : JSON.stringify(body),
  };
}
