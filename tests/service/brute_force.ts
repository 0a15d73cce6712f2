import type { Activity, Facts } from "./facts_model.ts";

// An independent reading of the definitions: plain loops over the facts, no SQL, nothing shared
// with the service.

type Known = number | null;

/** An exact number of the smallest units there are: of counts 1, of money a billionth of a dollar. */
type Exact = bigint | null;

/** The daily values of a metric for one group. */
interface Series {
  kind: "flow" | "users" | "level";
  per: bigint;
  days: Map<string, bigint>;
}

/** The product on a chain to which facts belong. */
interface Place {
  product_id: string;
  project_id: string;
  market_sector_id: string;
  chain_id: string;
}

/** The query of a breakdown. */
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

const MONEY = ["fees", "revenue", "dex_trading_volume", "inflows", "outflows", "net_flows"];
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

const NANO = 1_000_000_000n;

/** An amount to nine decimals, half away from zero, by its shortest text. */
function nanos(usd: Known): Exact {
  if (usd === null) return null;
  const [mantissa, exponent = "0"] = String(Math.abs(usd)).split("e");
  const [whole, fraction = ""] = mantissa!.split(".");
  const places = Number(exponent) - fraction.length + 9;
  let value = BigInt(whole + fraction);
  if (places >= 0) value *= 10n ** BigInt(places);
  else value = (2n * value / 10n ** BigInt(-places) + 1n) / 2n;
  return usd < 0 ? -value : value;
}

function real(value: bigint, per: bigint): number {
  return Number(value / per) + Number(value % per) / Number(per);
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function whole(count: Known): Exact {
  return count === null ? null : BigInt(count);
}

function amount(row: Activity, metric: string): Exact {
  switch (metric) {
    case "transaction_count":
      return whole(row.transaction_count);
    case "gas_used":
      return whole(row.gas_used);
    case "net_flows": {
      const into = nanos(row.inflows_usd), out = nanos(row.outflows_usd);
      return into === null || out === null ? null : into - out;
    }
    default:
      return nanos(row[`${metric}_usd` as "fees_usd"]);
  }
}

function add(days: Map<string, bigint>, day: string, value: Exact): void {
  if (value !== null) days.set(day, (days.get(day) ?? 0n) + value);
}

/** The figures of a window: five, and for a flow how many days its average rests on. */
function figures(series: Series, start: string, end: string) {
  const { kind, per, days } = series;
  const size = length(start, end);
  const before = shift(start, -size), base = shift(end, -size);
  const first = [...days.keys()].sort()[0];
  const at = (day: string): Exact =>
    days.get(day) ?? (kind !== "level" && first !== undefined && first <= day ? 0n : null);
  const over = (from: string, to: string) => {
    let sum = 0n, count = 0;
    for (const [day, value] of days) {
      if (day >= from && day <= to) {
        sum += value;
        count++;
      }
    }
    return { sum, count };
  };
  const growth = (now: Exact, was: Exact): Known =>
    now === null || was === null || was === 0n
      ? null
      : real(now - was, per) / real(magnitude(was), per);
  const now = over(start, end), was = over(before, shift(start, -1));
  const latest = at(end);
  const change = growth(latest, at(base));
  const early = first !== undefined && first <= before;
  if (kind === "level") {
    const mean = real(now.sum, per) / now.count, meanBefore = real(was.sum, per) / was.count;
    return {
      sum: null,
      avg: now.count === 0 ? null : mean,
      latest: latest === null ? null : real(latest, per),
      change,
      trend: early && now.count > 0 && was.count > 0 && meanBefore !== 0
        ? (mean - meanBefore) / Math.abs(meanBefore)
        : null,
    };
  }
  const known = first !== undefined && first <= end;
  const lived = known ? length(first > start ? first : start, end) : 0;
  return {
    sum: known && kind === "flow" ? real(now.sum, per) : null,
    avg: known ? real(now.sum, per) / lived : null,
    latest: latest === null ? null : real(latest, per),
    change,
    trend: early ? growth(now.sum, was.sum) : null,
    ...(kind === "flow" ? { days: known ? lived : null } : {}),
  };
}

const NOTHING = { sum: null, avg: null, latest: null, change: null, trend: null };

function unknown({ kind }: Series) {
  return kind === "flow" ? { ...NOTHING, days: null } : NOTHING;
}

/** Reads facts by loops; a level is carried over so many days without a fact. */
export function bruteForce(facts: Facts, carryDays = 3) {
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

  // The value of each component on each day: it keeps its last one for some days. Made once each.
  const carried = new Map<string, Map<string, bigint>>();

  function carry(stated: Map<string, bigint>): Map<string, bigint> {
    const days = new Map<string, bigint>();
    for (let day = firstDay; day <= lastDay; day = shift(day, 1)) {
      for (let back = 0; back <= carryDays; back++) {
        const value = stated.get(shift(day, -back));
        if (value === undefined) continue;
        days.set(day, value);
        break;
      }
    }
    return days;
  }

  // Adds up components, all rows of which are given.
  function statedLevels(rows: { component: string; day: string; value: Exact }[]) {
    const components = new Map<string, Map<string, bigint>>();
    for (const { component, day, value } of rows) {
      if (!components.has(component)) components.set(component, new Map());
      add(components.get(component)!, day, value);
    }
    const days = new Map<string, bigint>();
    for (const [component, stated] of components) {
      if (!carried.has(component)) carried.set(component, carry(stated));
      for (const [day, value] of carried.get(component)!) add(days, day, value);
    }
    return days;
  }

  function series(metric: string, inGroup: (place: Place) => boolean, wholes: object[]): Series {
    const days = new Map<string, bigint>();
    if (metric === "active_users") {
      const seen = new Map<string, Set<string>>();
      for (const { row, place } of uses) {
        if (!inGroup(place)) continue;
        if (!seen.has(row.day)) seen.set(row.day, new Set());
        seen.get(row.day)!.add(row.user_address);
      }
      for (const [day, users] of seen) days.set(day, BigInt(users.size));
      return { kind: "users", per: 1n, days };
    }
    if (metric === "tvl" || metric === "active_loans") {
      const stated = levels.filter(({ place }) => inGroup(place)).map(({ row, place }) => ({
        component: `${metric} ${place.product_id} ${place.chain_id}`,
        day: row.day,
        value: nanos(row[`${metric}_usd`]),
      }));
      return { kind: "level", per: NANO, days: statedLevels(stated) };
    }
    if (LEVELS.includes(metric)) {
      const people = metric === "core_developers";
      const stated = (wholes as Record<string, Known | string>[]).map((row) => ({
        component: `${metric} ${row.project_id ?? row.chain_id}`,
        day: String(row.day),
        value: people ? whole(row[metric] as Known) : nanos(row[`${metric}_usd`] as Known),
      }));
      return { kind: "level", per: people ? 1n : NANO, days: statedLevels(stated) };
    }
    for (const { row, place } of uses) {
      if (inGroup(place)) add(days, row.day, amount(row, metric));
    }
    return { kind: "flow", per: MONEY.includes(metric) ? NANO : 1n, days };
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
    // Values of whole projects and chains exist only without filters on parts of them.
    const byProject = ["projects", "market-sector"].includes(group_by) && !chain_ids &&
      !product_ids;
    const byChain = group_by === "chains" && !project_ids && !product_ids && !market_sector_ids;
    const keys = new Map<string, [string, string | null, string | null]>();
    for (const place of places.filter(chosen)) keys.set(keyOf(place).join("|"), keyOf(place));
    // Entities without a chain are groups too, unless chains are selected.
    if (["projects", "market-sector", "product"].includes(group_by) && !chain_ids) {
      for (const { market_sector_id } of facts.market_sectors) {
        if (market_sector_ids && !market_sector_ids.includes(market_sector_id)) continue;
        const projects = facts.projects.filter((one) => one.market_sector_id === market_sector_id);
        const products = facts.products.filter((one) =>
          projects.some(({ project_id }) => project_id === one.project_id)
        );
        const leftProducts = products.filter(({ product_id, project_id }) =>
          (product_ids?.includes(product_id) ?? true) && (project_ids?.includes(project_id) ?? true)
        );
        const leftProjects = projects.filter(({ project_id }) =>
          (project_ids?.includes(project_id) ?? true) &&
          (!product_ids || leftProducts.some((one) => one.project_id === project_id))
        );
        const empty = !project_ids && !product_ids;
        const ids = group_by === "product"
          ? leftProducts.map(({ product_id }) => product_id)
          : group_by === "projects"
          ? leftProjects.map(({ project_id }) => project_id)
          : leftProjects.length > 0 || empty
          ? [market_sector_id]
          : [];
        for (const id of ids) {
          const key: [string, null, string | null] = [id, null, group_by === "product" ? id : null];
          keys.set(key.join("|"), key);
        }
      }
    }
    const wholes: { key: string; rows: object[] }[] = [];
    if (byProject) {
      for (const { project_id, market_sector_id } of facts.projects) {
        if (project_ids && !project_ids.includes(project_id)) continue;
        if (market_sector_ids && !market_sector_ids.includes(market_sector_id)) continue;
        const id = group_by === "projects" ? project_id : market_sector_id;
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
          bounds === null
            ? unknown(series(metric, inGroup, whole))
            : figures(series(metric, inGroup, whole), ...bounds),
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
      const days = (value: (row: Activity) => Exact) => {
        const map = new Map<string, bigint>();
        for (const row of rows) add(map, row.day, value(row));
        return map;
      };
      const figure = (value: (row: Activity) => Exact, per: bigint) =>
        figures({ kind: "flow", per, days: days(value) }, lastDay, lastDay);
      const gas = figure((row) => whole(row.gas_used), 1n);
      const transactions = figure((row) => whole(row.transaction_count), 1n);
      const addresses = figure(() => 1n, 1n);
      const inflows = figure((row) => nanos(row.inflows_usd), NANO);
      const outflows = figure((row) => nanos(row.outflows_usd), NANO);
      const net = figure((row) => amount(row, "net_flows"), NANO);
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
