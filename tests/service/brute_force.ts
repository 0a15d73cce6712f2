import type { Activity, Facts } from "./facts_model.ts";

// An independent reading of the definitions: plain loops over the facts, no SQL, nothing shared
// with the service.

type Known = number | null;

/** The daily values of a metric for one group. */
interface Series {
  kind: "flow" | "users" | "level";
  per: number;
  days: Map<string, number>;
}

/** The product on a chain that facts stand with. */
interface Place {
  product_id: string;
  project_id: string;
  market_sector_id: string;
  chain_id: string;
}

/** What a breakdown is asked for. */
export interface Question {
  metric_ids: string[];
  interval: string;
  group_by: string;
  start?: string;
  end?: string;
  project_ids?: string[];
  product_ids?: string[];
  chain_ids?: string[];
  market_sector_ids?: string[];
}

const MONEY = ["fees", "revenue", "dex_trading_volume", "inflows", "outflows"];
const LEVELS = ["tvl", "active_loans", "market_cap_fd", "market_cap_circ", "core_developers"];

/** Every metric there is. */
export const ALL_METRICS = [
  "fees",
  "revenue",
  "dex_trading_volume",
  "transaction_count",
  "gas_used",
  "active_users",
  "inflows",
  "outflows",
  "net_flows",
  "tvl",
  "active_loans",
  "market_cap_fd",
  "market_cap_circ",
  "core_developers",
];

const WINDOW_DAYS = { "1d": 1, "7d": 7, "30d": 30, "90d": 90, "180d": 180, "365d": 365 };

function shift(day: string, by: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + by);
  return date.toISOString().slice(0, 10);
}

// Counted once per pair of days: the windows are few, the groups many.
const lengths = new Map<string, number>();

function length(start: string, end: string): number {
  const known = lengths.get(start + end);
  if (known !== undefined) return known;
  let days = 1;
  for (let day = start; day < end; day = shift(day, 1)) days++;
  lengths.set(start + end, days);
  return days;
}

function cents(usd: Known): Known {
  return usd === null ? null : Math.round(usd * 100);
}

function amount(row: Activity, metric: string): Known {
  switch (metric) {
    case "transaction_count":
      return row.transaction_count;
    case "gas_used":
      return row.gas_used;
    case "net_flows": {
      const into = cents(row.inflows_usd), out = cents(row.outflows_usd);
      return into === null || out === null ? null : into - out;
    }
    default:
      return cents(row[`${metric}_usd` as "fees_usd"]);
  }
}

function add(days: Map<string, number>, day: string, value: Known): void {
  if (value !== null) days.set(day, (days.get(day) ?? 0) + value);
}

/** The five figures of a window. */
function figures(series: Series, start: string, end: string) {
  const { kind, per, days } = series;
  const size = length(start, end);
  const before = shift(start, -size), base = shift(end, -size);
  const first = [...days.keys()].sort()[0];
  const at = (day: string): Known =>
    days.get(day) ?? (kind !== "level" && first !== undefined && first <= day ? 0 : null);
  const over = (from: string, to: string) => {
    let sum = 0, count = 0;
    for (const [day, value] of days) {
      if (day >= from && day <= to) {
        sum += value;
        count++;
      }
    }
    return { sum, count };
  };
  const ratio = (now: Known, was: Known): Known =>
    now === null || was === null || was === 0 ? null : (now - was) / Math.abs(was);
  const now = over(start, end), was = over(before, shift(start, -1));
  const latest = at(end);
  const change = ratio(latest, at(base));
  const early = first !== undefined && first <= before;
  if (kind === "level") {
    return {
      sum: null,
      avg: now.count === 0 ? null : now.sum / (per * now.count),
      latest: latest === null ? null : latest / per,
      change,
      trend: early && now.count > 0 && was.count > 0
        ? ratio(now.sum / now.count, was.sum / was.count)
        : null,
    };
  }
  const known = first !== undefined && first <= end;
  const lived = known ? length(first > start ? first : start, end) : 0;
  return {
    sum: known && kind === "flow" ? now.sum / per : null,
    avg: known ? now.sum / (per * lived) : null,
    latest: latest === null ? null : latest / per,
    change,
    trend: early ? ratio(now.sum, was.sum) : null,
  };
}

const UNKNOWN = { sum: null, avg: null, latest: null, change: null, trend: null };

/** Reads facts by loops. */
export function bruteForce(facts: Facts) {
  const lastDay = facts.activity.map(({ day }) => day).sort().at(-1)!;
  const firstDay = [
    ...facts.activity,
    ...facts.product_daily,
    ...facts.project_daily,
    ...facts.chain_daily,
  ].map(({ day }) => day).sort()[0]!;

  const project = (id: string) => facts.projects.find(({ project_id }) => project_id === id)!;
  const product = (id: string) => facts.products.find(({ product_id }) => product_id === id)!;
  const place = (product_id: string, chain_id: string): Place => {
    const { project_id } = product(product_id);
    const { market_sector_id } = project(project_id);
    return { product_id, project_id, market_sector_id, chain_id };
  };
  const contractOf = (row: { chain_id: string; account_address: string }) =>
    facts.contracts.find((contract) =>
      contract.chain_id === row.chain_id && contract.account_address === row.account_address
    )!;
  const uses = facts.activity.map((row) => ({
    row,
    place: place(contractOf(row).product_id, row.chain_id),
  }));
  const levels = facts.product_daily.map((row) => ({
    row,
    place: place(row.product_id, row.chain_id),
  }));
  const places = [
    ...facts.contracts.map((contract) => place(contract.product_id, contract.chain_id)),
    ...levels.map(({ place }) => place),
  ];

  function series(metric: string, inGroup: (place: Place) => boolean, whole: object[]): Series {
    const days = new Map<string, number>();
    if (metric === "active_users") {
      const seen = new Map<string, Set<string>>();
      for (const { row, place } of uses) {
        if (!inGroup(place)) continue;
        if (!seen.has(row.day)) seen.set(row.day, new Set());
        seen.get(row.day)!.add(row.user_address);
      }
      for (const [day, users] of seen) days.set(day, users.size);
      return { kind: "users", per: 1, days };
    }
    if (metric === "tvl" || metric === "active_loans") {
      for (const { row, place } of levels) {
        if (inGroup(place)) add(days, row.day, cents(row[`${metric}_usd`]));
      }
      return { kind: "level", per: 100, days };
    }
    if (LEVELS.includes(metric)) {
      for (const row of whole as Record<string, Known>[]) {
        const value = metric === "core_developers" ? row[metric]! : cents(row[`${metric}_usd`]!);
        add(days, String(row.day), value);
      }
      return { kind: "level", per: metric === "core_developers" ? 1 : 100, days };
    }
    for (const { row, place } of uses) {
      if (inGroup(place)) add(days, row.day, amount(row, metric));
    }
    return { kind: "flow", per: MONEY.includes(metric) || metric === "net_flows" ? 100 : 1, days };
  }

  function window(question: Question): [string, string] | null {
    const { interval, start, end } = question;
    let from: string, to = lastDay;
    if (start !== undefined || end !== undefined) {
      from = start ?? firstDay;
      to = end ?? lastDay;
      if (from < firstDay) from = firstDay;
      if (to > lastDay) to = lastDay;
    } else if (interval === "max") from = firstDay;
    else if (interval === "ytd") from = `${lastDay.slice(0, 4)}-01-01`;
    else from = shift(lastDay, interval === "24h" ? 0 : 1 - Number.parseInt(interval));
    return from > to ? null : [from, to];
  }

  function breakdown(question: Question) {
    const { group_by, project_ids, product_ids, chain_ids, market_sector_ids } = question;
    const chosen = (place: Place) =>
      (project_ids?.includes(place.project_id) ?? true) &&
      (product_ids?.includes(place.product_id) ?? true) &&
      (chain_ids?.includes(place.chain_id) ?? true) &&
      (market_sector_ids?.includes(place.market_sector_id) ?? true);
    const keyOf = (place: Place): [string, string | null, string | null] => {
      switch (group_by) {
        case "projects":
          return [place.project_id, null, null];
        case "chains":
          return [place.chain_id, place.chain_id, null];
        case "chain-project":
          return [place.project_id, place.chain_id, null];
        case "chain-product":
          return [place.product_id, place.chain_id, place.product_id];
        case "chain-market-sector":
          return [place.market_sector_id, place.chain_id, null];
        case "market-sector":
          return [place.market_sector_id, null, null];
        default:
          return [place.product_id, null, place.product_id];
      }
    };
    // Whole projects and chains are there only while nothing asks for a part of them.
    const byProject = ["projects", "market-sector"].includes(group_by) && !chain_ids &&
      !product_ids;
    const byChain = group_by === "chains" && !project_ids && !product_ids && !market_sector_ids;
    const keys = new Map<string, [string, string | null, string | null]>();
    for (const place of places.filter(chosen)) keys.set(keyOf(place).join("|"), keyOf(place));
    const wholes: { key: string; rows: object[] }[] = [];
    if (byProject) {
      for (const { project_id, market_sector_id } of facts.projects) {
        if (project_ids && !project_ids.includes(project_id)) continue;
        if (market_sector_ids && !market_sector_ids.includes(market_sector_id)) continue;
        const id = group_by === "projects" ? project_id : market_sector_id;
        keys.set([id, null, null].join("|"), [id, null, null]);
        const rows = facts.project_daily.filter((row) => row.project_id === project_id);
        wholes.push({ key: [id, null, null].join("|"), rows });
      }
    }
    if (byChain) {
      for (const { chain_id } of facts.chains) {
        if (chain_ids && !chain_ids.includes(chain_id)) continue;
        keys.set([chain_id, chain_id, null].join("|"), [chain_id, chain_id, null]);
        const rows = facts.chain_daily.filter((row) => row.chain_id === chain_id);
        wholes.push({ key: [chain_id, chain_id, null].join("|"), rows });
      }
    }
    const bounds = window(question);
    return [...keys].map(([key, [data_id, chain_id, product_id]]) => {
      const whole = wholes.filter((entry) => entry.key === key).flatMap(({ rows }) => rows);
      const inGroup = (place: Place) => chosen(place) && keyOf(place).join("|") === key;
      const metrics = Object.fromEntries(
        question.metric_ids.map((metric) => [
          metric,
          bounds === null ? UNKNOWN : figures(series(metric, inGroup, whole), ...bounds),
        ]),
      );
      return { data_id, chain_id, product_id, metrics };
    }).sort((a, b) => {
      for (const field of ["data_id", "chain_id", "product_id"] as const) {
        const left = a[field] ?? "", right = b[field] ?? "";
        if (left !== right) return left < right ? -1 : 1;
      }
      return 0;
    });
  }

  function comparison() {
    return facts.chains.map(({ chain_id, chain_name }) => {
      const inGroup = (place: Place) => place.chain_id === chain_id;
      const whole = facts.chain_daily.filter((row) => row.chain_id === chain_id);
      const row: Record<string, Known | string> = { chain_id, chain_name };
      const measure = (metric: string, days: number | "max") =>
        figures(
          series(metric, inGroup, whole),
          days === "max" ? firstDay : shift(lastDay, 1 - days),
          lastDay,
        );
      for (
        const [base, metric] of [
          ["market_cap_fd", "market_cap_fd"],
          ["market_cap_circ", "market_cap_circ"],
          ["active_users_daily", "active_users"],
          ["core_developers", "core_developers"],
          ["ecosystem_tvl", "tvl"],
          ["ecosystem_active_loans", "active_loans"],
        ] as const
      ) {
        row[`${base}_latest`] = measure(metric, 1).latest;
        for (const [name, days] of Object.entries(WINDOW_DAYS)) {
          row[`${base}_${name}_change`] = measure(metric, days).change;
        }
      }
      for (const [name, days] of Object.entries(WINDOW_DAYS)) {
        row[`transaction_count_${name}`] = measure("transaction_count", days).sum;
        row[`transaction_count_${name}_trend`] = measure("transaction_count", days).trend;
      }
      row.transaction_count_max = measure("transaction_count", "max").sum;
      for (const metric of ["fees", "revenue", "dex_trading_volume"]) {
        for (const [name, days] of Object.entries(WINDOW_DAYS)) {
          row[`ecosystem_${metric}_${name}_sum`] = measure(metric, days).sum;
          row[`ecosystem_${metric}_${name}_trend`] = measure(metric, days).trend;
        }
        row[`ecosystem_${metric}_max_sum`] = measure(metric, "max").sum;
      }
      row.ecosystem_project_count_latest = new Set(
        uses.filter(({ row, place }) =>
          inGroup(place) && row.day > shift(lastDay, -30) && row.transaction_count > 0
        ).map(({ place }) => place.project_id),
      ).size;
      return row;
    }).sort((a, b) => String(a.chain_id) < String(b.chain_id) ? -1 : 1);
  }

  function contracts() {
    const dayBefore = shift(lastDay, -1);
    return facts.contracts.map((contract) => {
      const { chain_id, account_address, account_title } = contract;
      const { project_id, market_sector_id } = place(contract.product_id, chain_id);
      const rows = facts.activity.filter((row) => contractOf(row) === contract);
      const days = (value: (row: Activity) => Known) => {
        const map = new Map<string, number>();
        for (const row of rows) add(map, row.day, value(row));
        return map;
      };
      const figure = (value: (row: Activity) => Known, per: number) =>
        figures({ kind: "flow", per, days: days(value) }, lastDay, lastDay);
      const gas = figure((row) => row.gas_used, 1);
      const transactions = figure((row) => row.transaction_count, 1);
      const addresses = figure(() => 1, 1);
      const inflows = figure((row) => cents(row.inflows_usd), 100);
      const outflows = figure((row) => cents(row.outflows_usd), 100);
      const net = figure((row) => amount(row, "net_flows"), 100);
      const on = (day: string, of: Activity[], value: (row: Activity) => Known): Known => {
        const values = of.filter((row) => row.day === day).map(value).filter((x) => x !== null);
        return values.length === 0 ? null : values.reduce((a, b) => a! + b!, 0);
      };
      const divide = (a: Known, b: Known): Known =>
        a === null || b === null || b === 0 ? null : a / b;
      const ratio = (now: Known, was: Known): Known =>
        now === null || was === null || was === 0 ? null : (now - was) / was;
      const onChain = facts.activity.filter((row) => row.chain_id === chain_id);
      const gasPer = (day: string) =>
        divide(on(day, rows, (r) => r.gas_used), on(day, rows, (r) => r.transaction_count));
      const share = (day: string) =>
        divide(on(day, rows, (r) => r.gas_used), on(day, onChain, (r) => r.gas_used));
      const here = (row: { day: string; chain_id: string; account_address: string }) =>
        row.day === lastDay && row.chain_id === chain_id && row.account_address === account_address;
      const event = facts.contract_events.filter(here).sort((a, b) =>
        b.event_count - a.event_count || (a.event_signature < b.event_signature ? -1 : 1)
      )[0];
      const asset = facts.contract_transfers.filter(here).sort((a, b) =>
        b.transfer_count - a.transfer_count || (a.asset_symbol < b.asset_symbol ? -1 : 1)
      )[0];
      return {
        project_id,
        project_name: project(project_id).project_name,
        market_sector_id,
        market_sector_name: facts.market_sectors.find((s) =>
          s.market_sector_id === market_sector_id
        )!.market_sector_name,
        chain_id,
        chain_name: facts.chains.find((chain) =>
          chain.chain_id === chain_id
        )!.chain_name,
        account_address,
        account_title,
        account_creation_timestamp: contract.account_creation_timestamp?.replace(" ", "T")
          .concat(".000Z") ?? null,
        gas_used_1d_sum: gas.sum,
        transaction_count_1d_sum: transactions.sum,
        active_addresses_1d_distinct_count: addresses.sum,
        transaction_gas_1d_avg: gasPer(lastDay),
        gas_market_share_1d_avg: share(lastDay),
        inflows_1d_sum: inflows.sum,
        outflows_1d_sum: outflows.sum,
        net_flows_1d_sum: net.sum,
        gas_used_1d_sum_trend: gas.trend,
        transaction_count_1d_sum_trend: transactions.trend,
        active_addresses_1d_distinct_count_trend: addresses.trend,
        transaction_gas_1d_avg_trend: ratio(gasPer(lastDay), gasPer(dayBefore)),
        gas_market_share_1d_avg_trend: ratio(share(lastDay), share(dayBefore)),
        inflows_1d_sum_trend: inflows.trend,
        outfows_1d_sum_trend: outflows.trend,
        net_flows_1d_sum_trend: net.trend,
        most_emitted_event_1d_name: event?.event_name ?? null,
        most_emitted_event_1d_signature: event?.event_signature ?? null,
        most_transferred_asset_1d_symbol: asset?.asset_symbol ?? null,
      };
    }).sort((a, b) => {
      for (const field of ["project_id", "chain_id", "account_address"] as const) {
        if (a[field] !== b[field]) return a[field] < b[field] ? -1 : 1;
      }
      return 0;
    });
  }

  function cohorts() {
    const monthNo = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;
    const running = shift(lastDay, 1).slice(0, 7) === lastDay.slice(0, 7);
    const lastWhole = monthNo(lastDay) - (running ? 1 : 0);
    const months = new Map<string, Set<number>>();
    for (const { row, place } of uses) {
      const key = `${place.project_id}|${row.user_address}`;
      if (!months.has(key)) months.set(key, new Set());
      months.get(key)!.add(monthNo(row.day));
    }
    const rows = new Map<string, Set<number>[]>();
    for (const [key, seen] of months) {
      const cohort = `${key.split("|")[0]}|${Math.min(...seen)}`;
      rows.set(cohort, [...rows.get(cohort) ?? [], seen]);
    }
    return [...rows].map(([key, users]) => {
      const [project_id, first] = [key.split("|")[0]!, Number(key.split("|")[1])];
      const { project_name, market_sector_id } = project(project_id);
      const row: Record<string, Known | string> = {
        project_name,
        project_id,
        market_sector_id,
        market_sector_name: facts.market_sectors.find((s) =>
          s.market_sector_id === market_sector_id
        )!.market_sector_name,
        cohort: `${Math.floor(first / 12)}-${String(first % 12 + 1).padStart(2, "0")}`,
        initial_cohort_size: users.length,
      };
      for (let month = 0; month < 12; month++) {
        row[`month_${month}`] = first + month > lastWhole
          ? null
          : users.filter((seen) => seen.has(first + month)).length / users.length;
      }
      return row;
    }).sort((a, b) => {
      const left = `${a.project_id}|${a.cohort}`, right = `${b.project_id}|${b.cohort}`;
      return left < right ? -1 : 1;
    });
  }

  function aggregations() {
    return [...facts.projects].sort((a, b) => a.project_id < b.project_id ? -1 : 1).flatMap(
      ({ project_id, project_name }) => {
        const whole = facts.project_daily.filter((row) => row.project_id === project_id);
        return ALL_METRICS.flatMap((metric) => {
          const daily = series(metric, (place) => place.project_id === project_id, whole);
          const over = (days: number) => figures(daily, shift(lastDay, 1 - days), lastDay);
          const statistics = daily.kind === "flow" ? ["sum", "trend"] : ["avg", "change", "trend"];
          const values: [string, Known][] = [["latest", over(1).latest]];
          for (const statistic of statistics as ("sum" | "trend" | "avg" | "change")[]) {
            for (const [name, days] of Object.entries(WINDOW_DAYS)) {
              values.push([`${name}_${statistic}`, over(days)[statistic]]);
            }
            if (statistic === "sum") {
              values.push(["max_sum", figures(daily, firstDay, lastDay).sum]);
            }
          }
          return values.map(([metric_aggregation_name, value]) => ({
            project_name,
            project_id,
            metric_id: metric,
            metric_aggregation_name,
            value: daily.days.size === 0 ? "-" : value === null ? "NaN" : String(value),
          }));
        });
      },
    );
  }

  return { breakdown, comparison, contracts, cohorts, aggregations, lastDay, firstDay };
}
