import {
  blockchainComparison,
  check,
  cohortAnalysis,
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
import { counted } from "../../lib/platform/terminal.ts";
import { type Answer, type Asking, askingOf, MOST_REQUESTS, rowsIn } from "./asking.ts";
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

/** A field of a response. Examples are values, and given only if they are asked for. */
type Field = Omit<ReturnType<typeof fieldsIn>[number], "examples"> & {
  readonly examples?: readonly unknown[];
};

/** What a probe saw. It holds no token, no address and no value, and of the service's texts only plain names. */
export interface ProbeReport {
  readonly requests: number;
  /** Why the probe ended early; null if it did not. */
  readonly stopped: string | null;
  readonly points: readonly Point[];
  readonly headers: readonly string[];
  readonly fields: Readonly<Record<string, readonly Field[]>>;
  readonly unknown_fields: Readonly<Record<string, readonly string[]>>;
  readonly metrics_without_unit: readonly string[];
  /** How many names were left out, by list: those that contain the token or are not plain. */
  readonly names_not_shown: Readonly<Record<string, number>>;
  readonly errors: Readonly<Record<string, string>>;
}

/** The values of a metric by id: a number, or a member of an object. */
function valuesOf(answer: Answer | null, metric: string, member: string): Sums {
  return new Map(
    rowsIn(answer).flatMap((row): [string, number][] => {
      const { [metric]: value } = (row.metrics ?? {}) as Row;
      const isObject = typeof value === "object" && value !== null;
      const number = numberIn(isObject ? (value as Row)[member] : member === "sum" ? value : null);
      return number === null ? [] : [[String(row.data_id), number]];
    }),
  );
}

const UNKNOWN = "chainframe-probe-unknown";

/** Asks the operations that return rows, and two of them in another way. */
async function askRows({ ask }: Asking) {
  const chains = await ask((at) => blockchainComparison({}, at));
  const nulls = fieldsIn(rowsIn(chains.answer));
  const unsure = nulls.find(({ null_share }) => null_share > 0 && null_share < 1)?.field;
  const ordered = unsure === undefined
    ? { answer: null }
    : await ask((at) =>
      blockchainComparison({ order_by: unsure, order_direction: "desc" } as never, at)
    );
  const cohorts = await ask((at) => cohortAnalysis({}, at));
  const id = String(rowsIn(cohorts.answer)[0]?.project_id ?? "uniswap");
  const aggregations = await ask((at) => metricAggregations({ project_ids: [id] }, at));
  const contracts = await ask((at) => projectContracts({}, at));
  const count = rowsIn(contracts.answer).length;
  const more = count === 0
    ? null
    : (await ask((at) => projectContracts({ limit: count + 1 }, at))).answer;
  const one = await ask((at) => project({ project_id: id }, at));
  const order = unsure === undefined ? null : nullOrder(rowsIn(ordered.answer), unsure);
  const isMore = more !== null && more.status === 200 ? rowsIn(more).length > count : null;
  return {
    answers: {
      blockchain_comparison: chains.answer,
      cohort_analysis: cohorts.answer,
      metric_aggregations: aggregations.answer,
      project_contracts: contracts.answer,
      project: one.answer,
    },
    frames: [chains.frame, aggregations.frame].filter((frame) => frame !== null),
    order,
    limit: isMore === null ? null : isMore ? String(count) : "all rows",
  };
}

const BREAKDOWN = { metric_ids: ["fees"], group_by: "chains" } as const;

/** Asks for entities and fields that do not exist. */
async function askUnknown({ ask }: Asking) {
  const missing = { ...BREAKDOWN, interval: "7d", chain_ids: [UNKNOWN] } as const;
  return {
    "unknown chain": (await ask((at) => metricBreakdown(missing, at))).answer,
    "unknown project": (await ask((at) => project({ project_id: UNKNOWN }, at))).answer,
    "unknown order_by":
      (await ask((at) => blockchainComparison({ order_by: UNKNOWN } as never, at)))
        .answer,
  };
}

/** Asks for windows and single days of one metric, and for what is unknown in between, so that few requests suffice. */
async function askWindows(asking: Asking) {
  const { ask, sent } = asking;
  const sums = (answer: Answer | null) => valuesOf(answer, "fees", "sum");
  const window = async (days: number) => {
    const query = { ...BREAKDOWN, interval: `${days}d` };
    return (await ask((at) => metricBreakdown(query, at))).answer;
  };
  const month = await window(30);
  const stated = month?.through ?? null;
  const isDay = stated !== null && /^\d{4}-\d\d-\d\d$/.test(stated) && !Number.isNaN(dayOf(stated));
  const last = isDay ? dayOf(stated) : Math.floor(Date.now() / 86_400_000) - 1;
  const day = async (back: number) => {
    const date = dayText(last - back);
    const query = { ...BREAKDOWN, interval: "30d", start: date, end: date } as const;
    return sums((await ask((at) => metricBreakdown(query, at))).answer);
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
  const unknown = await askUnknown(asking);
  const week = await window(7);
  const bases = [[7, await baseOf(7, week)], [30, await baseOf(30, month)]] as const;
  // A request that was sent twice leaves too few for the longest window.
  const longest = sent() + 3 > MOST_REQUESTS ? null : await baseOf(90, await window(90));
  const through = stated === null ? null : isDay ? "YYYY-MM-DD" : "another form";
  return { week, wins, bases: [...bases, [90, longest]] as const, through, unknown };
}

/** Returns the verdicts on the open points. */
function pointsOf(
  { answers, frames, order, limit }: Awaited<ReturnType<typeof askRows>>,
  { wins, bases, through }: Awaited<ReturnType<typeof askWindows>>,
): Point[] {
  const cohorts = rowsIn(answers.cohort_analysis);
  const rules = frames.flatMap((frame: DataFrame) =>
    check(frame).getColumn("rule").toArray() as string[]
  );
  const isPart = rules.some((rule) => rule.includes("previous window"));
  return [
    pointOf("format of cohort", cohortFormat(cohorts), "YYYY-MM"),
    pointOf("unit of month_0", cohortUnit(cohorts), "fraction"),
    pointOf("interval or dates", wins, "dates"),
    ...bases.map(([days, base]) =>
      pointOf(`base of change over ${days} days`, base, "W days before the last day")
    ),
    pointOf(
      "trend of a window before that is partly filled",
      frames.length === 0 ? null : isPart ? "stated" : "none seen",
      "none seen",
    ),
    pointOf("order of null", order, "last"),
    pointOf("default limit", limit, "all rows"),
    pointOf("header Data-Through", through, "YYYY-MM-DD"),
  ];
}

const PLAIN = /^[\w.-]{1,60}$/;

/** Returns a function that keeps the plain names of a list, without the token, and counts the others. */
function namesShown(redact: (text: string) => string) {
  const notShown: Record<string, number> = {};
  const isShown = (name: string) => PLAIN.test(name) && redact(name) === name;
  const shown = (list: string, names: Iterable<string>): string[] => {
    const all = [...new Set(names)];
    const kept = all.filter(isShown);
    if (kept.length < all.length) {
      notShown[list] = (notShown[list] ?? 0) + all.length - kept.length;
    }
    return kept.toSorted();
  };
  return { shown, notShown };
}

/** Returns the status of a response, and the codes of its errors. */
function errorText(answer: Answer | null, shown: ReturnType<typeof namesShown>["shown"]): string {
  if (answer === null) return "no response";
  const { errors } = (answer.body ?? {}) as { errors?: unknown };
  const given = (Array.isArray(errors) ? errors : []).map((each) => String((each as Row)?.code));
  const codes = [...new Set(given)];
  // Other texts could be values.
  const kept = shown("errors", codes.filter((code) => /^[A-Z][A-Z_]{2,40}$/.test(code)));
  const hidden = codes.length - kept.length;
  const more = hidden === 0 ? [] : [`(${counted(hidden, "name")} not shown)`];
  return [String(answer.status), ...kept, ...more].join(" ");
}

/** Removes the token from texts and names in a JSON value. */
function redacted(value: unknown, redact: (text: string) => string): unknown {
  return JSON.parse(JSON.stringify(value), (_, each) => {
    if (typeof each === "string") return redact(each);
    if (typeof each !== "object" || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).map(([name, own]) => [redact(name), own]));
  });
}

/**
 * Sends at most 20 requests, and returns for each open point of the interface which variant the service showed. Stops
 * after the first request if the token is refused.
 */
export async function probe(
  options: ConnectOptions,
  { withExamples = false }: { readonly withExamples?: boolean } = {},
): Promise<ProbeReport> {
  const asking = askingOf(options);
  const rows = await askRows(asking);
  const windows = await askWindows(asking);
  const redact = (text: string) => asking.connection.redact(text);
  const { shown, notShown } = namesShown(redact);
  const answers = Object.entries({ ...rows.answers, metric_breakdown: windows.week });
  const fields = answers.map(([operation, answer]) => {
    const all = fieldsIn(rowsIn(answer));
    const names = new Set(shown(operation, all.map(({ field }) => field)));
    const kept = all.filter(({ field }) => names.has(field)).map(({ examples, ...field }): Field =>
      withExamples ? { ...field, examples: redacted(examples, redact) as unknown[] } : field
    );
    return [operation, kept] as const;
  });
  const unknown = fields.map(([operation, own]) => {
    const known = ENDPOINTS[operation as keyof typeof ENDPOINTS].record.map(({ name }) => name);
    const names = own.map(({ field }) => field);
    return [operation, names.filter((name) => ![...known, "metrics"].includes(name))] as const;
  });
  const metrics = rowsIn(rows.answers.metric_aggregations).map((row) => String(row.metric_id));
  const unitless = metrics.filter((metric) => (fieldNamed(metric)?.unit ?? null) === null);
  const errors = Object.entries(windows.unknown).map(([what, answer]) => [
    what,
    errorText(answer, shown),
  ]);
  return {
    requests: asking.sent(),
    stopped: asking.stopped(),
    points: pointsOf(rows, windows),
    headers: shown("headers", asking.headers),
    fields: Object.fromEntries(fields),
    unknown_fields: Object.fromEntries(unknown),
    metrics_without_unit: shown("metrics_without_unit", unitless),
    names_not_shown: notShown,
    errors: Object.fromEntries(errors),
  };
}

/** Writes a report as a page in Markdown. */
export function probePage({ points, ...report }: ProbeReport): string {
  const table = (columns: readonly string[], rows: readonly (readonly unknown[])[]) =>
    [columns, columns.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join(
      "\n",
    );
  const listed = (names: readonly string[], list: string) => {
    const hidden = report.names_not_shown[list] ?? 0;
    const more = hidden === 0 ? [] : [`${counted(hidden, "name")} not shown`];
    return [...names.map((name) => `\`${name}\``), ...more].join(", ") || "none";
  };
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
    `## Headers\n\n${listed(report.headers, "headers")}`,
    `## Metrics without a unit\n\n${listed(report.metrics_without_unit, "metrics_without_unit")}`,
    ...Object.entries(report.fields).map(([operation, fields]) =>
      [
        `## ${operation}`,
        `Unknown fields: ${listed(report.unknown_fields[operation]!, operation)}`,
        table(
          ["field", "types", "share of null"],
          fields.map(({ field, types, null_share }) => [field, types, null_share]),
        ),
      ].join("\n\n")
    ),
  ].join("\n\n") + "\n";
}
