import {
  blockchainComparison,
  ChainframeError,
  check,
  cohortAnalysis,
  connect,
  type Connection,
  type ConnectOptions,
  type DataFrame,
  metricAggregations,
  metricBreakdown,
  project,
  projectContracts,
} from "../../mod.ts";
import { fieldNamed } from "../../lib/schema/dictionary.ts";
import { ENDPOINTS } from "../../lib/schema/endpoints.ts";
import { dayOf, dayText } from "../../lib/schema/period.ts";
import {
  changeBase,
  cohortFormat,
  cohortUnit,
  fieldsIn,
  intervalOrDates,
  nullOrder,
  numberIn,
  type Point,
  pointOf,
  type Row,
  type Sums,
} from "./points.ts";

/** The most requests that a probe sends. */
export const MOST_REQUESTS = 20;

/** What a probe saw. It holds no token, no address and no value. */
export interface ProbeReport {
  readonly requests: number;
  /** Why the probe ended early; null if it did not. */
  readonly stopped: string | null;
  readonly points: readonly Point[];
  readonly headers: readonly string[];
  readonly fields: Readonly<
    Record<string, readonly Omit<ReturnType<typeof fieldsIn>[number], "examples">[]>
  >;
  readonly unknown_fields: Readonly<Record<string, readonly string[]>>;
  readonly metrics_without_unit: readonly string[];
  readonly errors: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly through: string | null;
  readonly body: unknown;
}

const rowsIn = ({ body }: Answer): Row[] => {
  const data = (body as { data?: unknown } | null)?.data;
  const rows: unknown[] = Array.isArray(data) ? data : [data];
  return rows.filter((row): row is Row => typeof row === "object" && row !== null);
};

/** Records what a service answers, and ends after too many requests. */
function recorder(given: ConnectOptions["fetch"] = (request) => fetch(request)) {
  const answers: Answer[] = [];
  let sent = 0;
  const record: typeof given = async (request) => {
    if (sent === MOST_REQUESTS) throw new Error(`more than ${MOST_REQUESTS} requests`);
    sent += 1;
    const response = await given(request);
    const body = await response.clone().json().catch(() => null);
    answers.push({
      status: response.status,
      headers: [...response.headers.keys()],
      through: response.headers.get("data-through"),
      body,
    });
    return response;
  };
  return { answers, record, sent: () => sent };
}

/** Creates a connection that sends every request, also if the environment names a cache. */
function freshConnection(options: ConnectOptions): Connection {
  try {
    return connect({ ...options, cache: { mode: "refresh" } });
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith("cache.dir:"))) throw error;
    return connect(options);
  }
}

/** The values of a metric by id: a number, or a member of an object. */
function valuesOf(answer: Answer | null, metric: string, member: string): Sums {
  const rows = answer === null ? [] : rowsIn(answer);
  return new Map(rows.flatMap((row): [string, number][] => {
    const { [metric]: value } = (row.metrics ?? {}) as Row;
    const isObject = typeof value === "object" && value !== null;
    const number = numberIn(isObject ? (value as Row)[member] : member === "sum" ? value : null);
    return number === null ? [] : [[String(row.data_id), number]];
  }));
}

/** Returns the status of a response, and the codes of its errors. Other texts could be values, and are left out. */
function errorText(answer: Answer | null): string {
  if (answer === null) return "no response";
  const { errors } = (answer.body ?? {}) as { errors?: unknown };
  const codes = (Array.isArray(errors) ? errors : []).map((each) => String((each as Row)?.code))
    .filter((code) => /^[A-Z][A-Z_]{2,40}$/.test(code));
  return [String(answer.status), ...new Set(codes)].join(" ");
}

/**
 * Sends at most 20 requests, and returns for each open point of the interface which variant the service showed. Stops
 * after the first request if the token is refused.
 */
export async function probe(
  options: ConnectOptions,
  { withExamples = false }: { readonly withExamples?: boolean } = {},
): Promise<ProbeReport> {
  const { answers, record, sent } = recorder(options.fetch);
  // Without an own fetch, this refuses a proxy that would see the token.
  if (options.fetch === undefined) connect(options);
  const connection = freshConnection({
    ...options,
    fetch: record,
    retries: 1,
    onMissing: "ignore",
  });
  let stopped: string | null = null;
  /** Runs an operation. Returns its last answer, and its frame if the answer could be read. */
  const ask = async (call: () => Promise<DataFrame>) => {
    if (stopped !== null) return { answer: null, frame: null };
    const before = answers.length;
    let frame: DataFrame | null = null;
    try {
      frame = await call();
    } catch (error) {
      const isSpent = sent() === MOST_REQUESTS;
      if (!(error instanceof ChainframeError) && !isSpent) throw error;
      if (isSpent) stopped = `${MOST_REQUESTS} requests were sent`;
    }
    const answer = answers.length > before ? answers.at(-1)! : null;
    if (answer === null) stopped ??= "the service cannot be reached";
    else if (answer.status === 401 || answer.status === 403) {
      stopped = `the service answered ${answer.status}: the token is missing or refused`;
    }
    return { answer, frame };
  };

  const chains = await ask(() => blockchainComparison({}, connection));
  const rows = chains.answer === null ? [] : rowsIn(chains.answer);
  const unsure = fieldsIn(rows).find(({ null_share }) => null_share > 0 && null_share < 1)?.field;
  const ordered = unsure === undefined
    ? { answer: null }
    : await ask(() =>
      blockchainComparison({ order_by: unsure, order_direction: "desc" } as never, connection)
    );
  const cohorts = await ask(() => cohortAnalysis({}, connection));
  const cohortRows = cohorts.answer === null ? [] : rowsIn(cohorts.answer);
  const id = String(cohortRows[0]?.project_id ?? "uniswap");
  const aggregations = await ask(() => metricAggregations({ project_ids: [id] }, connection));
  const contracts = await ask(() => projectContracts({}, connection));
  const count = contracts.answer === null ? 0 : rowsIn(contracts.answer).length;
  const more = count === 0
    ? null
    : (await ask(() => projectContracts({ limit: count + 1 }, connection))).answer;
  const one = await ask(() => project({ project_id: id }, connection));
  const breakdown = { metric_ids: ["fees"], group_by: "chains" } as const;
  const sums = (answer: Answer | null) => valuesOf(answer, "fees", "sum");
  const window = async (days: number) => {
    const query = { ...breakdown, interval: `${days}d` };
    return (await ask(() => metricBreakdown(query, connection))).answer;
  };
  const month = await window(30);
  const through = month?.through ?? dayText(Math.floor(Date.now() / 86_400_000) - 1);
  const day = async (back: number) => {
    const date = dayText(dayOf(through) - back);
    const query = { ...breakdown, interval: "30d", start: date, end: date } as const;
    return sums((await ask(() => metricBreakdown(query, connection))).answer);
  };
  const end = await day(0);
  const wins = intervalOrDates(end, sums(month));
  /** The base of `change` over a window. Single days show it, if the service does not ignore dates. */
  const baseOf = async (days: number, answer: Answer | null) =>
    wins === "interval" ? null : changeBase(valuesOf(answer, "fees", "change"), {
      end,
      first: await day(days - 1),
      before: await day(days),
    });
  const unknown = "chainframe-probe-unknown";
  const missing = await ask(() =>
    metricBreakdown({ ...breakdown, interval: "7d", chain_ids: [unknown] }, connection)
  );
  const noProject = await ask(() => project({ project_id: unknown }, connection));
  const noField = await ask(() => blockchainComparison({ order_by: unknown } as never, connection));

  const week = await window(7);
  const bases = [[7, await baseOf(7, week)], [30, await baseOf(30, month)]] as const;
  // A request that was sent twice leaves too few for the longest window.
  const longest = sent() + 3 > MOST_REQUESTS ? null : await baseOf(90, await window(90));
  const frames = [chains.frame, aggregations.frame].filter((frame) => frame !== null);
  const rules = frames.flatMap((frame) => check(frame).getColumn("rule").toArray() as string[]);
  const isPart = rules.some((rule) => rule.includes("previous window"));
  const limited = more === null || more.status !== 200 ? null : rowsIn(more).length > count;
  const byOperation = {
    blockchain_comparison: rows,
    cohort_analysis: cohortRows,
    metric_aggregations: aggregations.answer === null ? [] : rowsIn(aggregations.answer),
    project_contracts: contracts.answer === null ? [] : rowsIn(contracts.answer),
    project: one.answer === null ? [] : rowsIn(one.answer),
    metric_breakdown: week === null ? [] : rowsIn(week),
  };
  const metrics = [...new Set(byOperation.metric_aggregations.map((row) => String(row.metric_id)))];
  return {
    requests: sent(),
    stopped,
    points: [
      pointOf("format of cohort", cohortFormat(cohortRows), "YYYY-MM"),
      pointOf("unit of month_0", cohortUnit(cohortRows), "fraction"),
      pointOf("interval or dates", wins, "dates"),
      ...[...bases, [90, longest] as const].map(([days, base]) =>
        pointOf(`base of change over ${days} days`, base, "W days before the last day")
      ),
      pointOf(
        "trend of a window before that is partly filled",
        frames.length === 0 ? null : isPart ? "stated" : "none seen",
        "none seen",
      ),
      pointOf(
        "order of null",
        ordered.answer === null || unsure === undefined
          ? null
          : nullOrder(rowsIn(ordered.answer), unsure),
        "last",
      ),
      pointOf(
        "default limit",
        limited === null ? null : limited ? String(count) : "all rows",
        "all rows",
      ),
    ],
    headers: [...new Set(answers.flatMap(({ headers }) => headers))].toSorted(),
    fields: Object.fromEntries(
      Object.entries(byOperation).map(([operation, own]) => [
        operation,
        fieldsIn(own).map(({ examples, ...field }) =>
          withExamples ? { ...field, examples } : field
        ),
      ]),
    ),
    unknown_fields: Object.fromEntries(
      Object.entries(byOperation).map(([operation, own]) => {
        const known = ENDPOINTS[operation as keyof typeof ENDPOINTS].record.map(({ name }) => name);
        const names = fieldsIn(own).map(({ field }) => field);
        return [operation, names.filter((name) => ![...known, "metrics"].includes(name))];
      }),
    ),
    metrics_without_unit: metrics.filter((metric) => (fieldNamed(metric)?.unit ?? null) === null)
      .toSorted(),
    errors: {
      "unknown chain": errorText(missing.answer),
      "unknown project": errorText(noProject.answer),
      "unknown order_by": errorText(noField.answer),
    },
  };
}

/** Writes a report as a page in Markdown. */
export function probePage({ points, ...report }: ProbeReport): string {
  const table = (columns: readonly string[], rows: readonly (readonly unknown[])[]) =>
    [columns, columns.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join(
      "\n",
    );
  const listed = (names: readonly string[]) =>
    names.map((name) => `\`${name}\``).join(", ") || "none";
  return [
    "# What the service answers",
    `${report.requests} requests. ${report.stopped === null ? "" : `Stopped: ${report.stopped}.`}`
      .trim(),
    "## Open points",
    table(
      ["point", "seen", "expected", "verdict"],
      points.map((each) => [each.point, each.seen, each.expected, each.verdict]),
    ),
    "## Failed requests",
    table(["request", "status and codes"], Object.entries(report.errors)),
    `## Headers\n\n${listed(report.headers)}`,
    `## Metrics without a unit\n\n${listed(report.metrics_without_unit)}`,
    ...Object.entries(report.fields).map(([operation, fields]) =>
      [
        `## ${operation}`,
        `Unknown fields: ${listed(report.unknown_fields[operation]!)}`,
        table(
          ["field", "types", "share of null"],
          fields.map(({ field, types, null_share }) => [field, types, null_share]),
        ),
      ].join("\n\n")
    ),
  ].join("\n\n") + "\n";
}
