import {
  blockchainComparison,
  cohortAnalysis,
  compareRetention,
  type DataFrame,
  growthRates,
  metricAggregations,
  metricBreakdown,
  pl,
  pooledRetention,
  projectContracts,
  retentionCurves,
  shares,
  timeline,
} from "../../../mod.ts";

type Row = Readonly<Record<string, unknown>>;

/** A frame, and its right readings: `entity|date`, with `+` between several columns, or `refuse`. */
export interface FrameKind {
  readonly name: string;
  readonly frame: DataFrame;
  readonly right: readonly string[];
}

const monthAt = (month: number) => new Date(Date.UTC(2024, month, 1));
const dayAt = (day: number) => new Date(Date.UTC(2025, 0, 1 + day));
const yearAt = (year: number) => new Date(Date.UTC(year, 0, 1));

/** Makes a row of each entity and time. */
function grid(
  entities: readonly Row[],
  count: number,
  { name = "date", at = monthAt, more = () => ({}) }: {
    name?: string;
    at?: (time: number) => Date;
    more?: (time: number, entity: number) => Row;
  } = {},
): Row[] {
  return entities.flatMap((entity, place) =>
    Array.from({ length: count }, (_, time) => ({
      ...entity,
      [name]: at(time),
      fees: 100 * (place + 1) + time,
      ...more(time, place),
    }))
  );
}

const days = { name: "day", at: dayAt };
const PROTOCOLS = ["aave", "uni", "lido", "maker", "curve", "gmx"].map((protocol) => ({
  protocol,
}));
const TWO = PROTOCOLS.slice(0, 2);
const pairsOf = (first: string, one: readonly string[], second: string, other: readonly string[]) =>
  one.flatMap((each) => other.map((text) => ({ [first]: each, [second]: text })));
/** Adds a column that names rows. */
const keyed = (name: string, rows: readonly Row[], text: (row: number) => unknown): Row[] =>
  rows.map((row, at) => ({ [name]: text(at), ...row }));
const last = (name: string, rows: readonly Row[], text: (row: number) => unknown): Row[] =>
  rows.map((row, at) => ({ ...row, [name]: text(at) }));
/** Whether a row of a sparse table is there. */
const isSome = (at: number) => Math.abs(Math.sin(at * 12.9898) * 43758.5453) % 1 < 0.3;

const DAILY = grid(TWO, 40, days);
const COHORTS = ["DE", "FR"].flatMap((country, at) =>
  [0, 1, 2].flatMap((funnel) =>
    Array.from({ length: 12 }, (_, month) => ({
      country,
      funnel: `${country}${funnel}`,
      cohort: monthAt(month).toISOString().slice(0, 7),
      initial_cohort_size: 200,
      month_0: 200,
      month_1: 60 + 5 * funnel + at + month % 3,
    }))
  )
);
const PLACES = Array.from(
  { length: 6 },
  (_, month) =>
    ([["a", 10 + 7 * (month % 3)], ["b", 20], ["c", 5 + 11 * (month % 2)]] as [string, number][])
      .sort((a, b) => b[1] - a[1])
      .map(([protocol, fees], at) => ({
        place: `#${at + 1}`,
        protocol,
        day: monthAt(month),
        fees,
      })),
).flat();
const EVENTS = Array.from({ length: 300 }, (_, at) => ({
  tx_hash: `0x${at}`,
  protocol: PROTOCOLS[at % 3]!.protocol,
  day: dayAt(Math.floor(at / 10)),
  amount: at,
}));
const LEADERS = ["DE", "FR"].flatMap((country, at) =>
  Array.from({ length: 8 }, (_, month) => ({
    leader: `${country}${Math.floor((month + at) / 3)}`,
    country,
    date: monthAt(month),
    gdp: 1,
  }))
);

/** Rows of tables of users, and their right readings. */
const ROWS: readonly (readonly [string, readonly Row[], ...string[]])[] = [
  [
    "daily fees of chains",
    grid(["BASE", "OP", "ZORA"].map((chain) => ({ chain })), 60, {
      name: "dt",
      at: dayAt,
    }),
    "chain|dt",
  ],
  ["daily fees of one chain", grid([{ chain: "BASE" }], 60, { name: "dt", at: dayAt }), "chain|dt"],
  ["daily fees with a uuid", last("uuid", DAILY, (at) => `u${at}`), "protocol|day"],
  [
    "weeks, a column for each chain",
    Array.from({ length: 20 }, (_, week) => ({
      week_ending: dayAt(7 * week),
      alder: 10 + week,
      basalt: 20 - week,
    })),
    "|week_ending",
  ],
  [
    "weeks, unpivoted",
    grid(["alder", "basalt"].map((chain) => ({ chain })), 20, {
      name: "week_ending",
      at: (week) => dayAt(7 * week),
    }),
    "chain|week_ending",
  ],
  [
    "protocol and kind",
    grid(PROTOCOLS.map((each, at) => ({ ...each, kind: at < 3 ? "x" : "y" })), 6),
    "protocol|date",
  ],
  [
    "a constant source and a remark with nulls",
    grid(
      PROTOCOLS.map((each, at) => ({ source: "open data", ...each, remark: at ? "e" : null })),
      6,
    ),
    "protocol|date",
  ],
  [
    "slug, name, category",
    grid(
      PROTOCOLS.map(({ protocol }, at) => ({
        slug: protocol,
        name: protocol.toUpperCase(),
        category: "abc"[at % 3],
      })),
      6,
    ),
    "slug|date",
  ],
  [
    "a snapshot with id, name, slug",
    PROTOCOLS.map(({ protocol }, at) => ({
      id: `${100 + at}`,
      name: protocol,
      slug: `${protocol}-x`,
      displayName: protocol,
      category: "abc"[at % 3],
      chain: at % 2 ? "Multi-Chain" : "Ethereum",
      total: 10 * at,
    })),
    "id|",
    "slug|",
    "name|",
  ],
  [
    "one metric of chains",
    grid(["base", "zora", "op"].map((origin_key) => ({ metric_key: "txcount", origin_key })), 20, {
      at: dayAt,
    }),
    "origin_key|date",
  ],
  [
    "a remark of each row",
    grid(PROTOCOLS, 6, {
      more: (time, at) => ({
        unit: "USD",
        remark: ["estimate", "final", "revised"][(time + at) % 3],
      }),
    }),
    "protocol|date",
  ],
  [
    "a tier that changes",
    grid(PROTOCOLS, 6, { more: (time, at) => ({ tier: time > at ? "gold" : "silver" }) }),
    "protocol|date",
  ],
  [
    "chain and kind",
    grid(pairsOf("chain", ["base", "op"], "kind", ["fees", "revenue"]), 6),
    "chain+kind|date",
  ],
  [
    "contract and symbol",
    grid([0, 1, 2].map((at) => ({ contract: `0x${at}`, symbol: ["WETH", "USDC", "USDC"][at] })), 6),
    "contract|date",
  ],
  [
    "an id with nulls",
    grid(PROTOCOLS.map((each, at) => ({ ...each, parent_id: at ? "q" : null })), 6),
    "protocol|date",
  ],
  [
    "cohorts of country and funnel",
    pairsOf("country", ["DE", "FR"], "funnel", ["a", "b", "c"]).flatMap((each) =>
      ["2025-01", "2025-02"].map((cohort) => ({
        ...each,
        cohort,
        initial_cohort_size: 100,
        month_0: 1,
        month_1: 0.3,
      }))
    ),
    "country+funnel|cohort",
  ],
  [
    "one protocol with remarks",
    grid(PROTOCOLS.slice(0, 1), 6, { more: (time) => ({ remark: time ? "final" : "estimate" }) }),
    "protocol|date",
  ],
  [
    "ids that are numbers",
    grid([1, 10, 8453].map((chain_id) => ({ chain_id })), 6),
    "chain_id|date",
  ],
  [
    "token and wallet, no dates",
    [{ token: "a", wallet: "w", v: 1 }, { token: "b", wallet: "v", v: 2 }],
    "token|",
    "wallet|",
  ],
  ["doubled rows", [
    ...Array.from(
      { length: 40 },
      (_, at) => ({ protocol: `p${at}`, tag: `${at % 3}`, date: monthAt(0), fees: 1 }),
    ),
    { protocol: "p7", tag: "2", date: monthAt(0), fees: 1 },
  ], "refuse"],
  ["id, protocol, day", keyed("id", DAILY, (at) => `r-${at}`), "protocol|day"],
  ["row_id of numbers, last", last("row_id", DAILY, (at) => at), "protocol|day"],
  [
    "tx_hash, protocol, day",
    keyed("tx_hash", DAILY, (at) => `0x${(at * 7919).toString(16)}`),
    "protocol|day",
  ],
  [
    "uuid, slug, name",
    keyed(
      "uuid",
      grid(
        PROTOCOLS.map(({ protocol }) => ({ slug: protocol, name: protocol.toUpperCase() })),
        10,
        days,
      ),
      (at) => `u${at}`,
    ),
    "slug|day",
  ],
  ["id of one series", keyed("id", grid([{}], 40, days), (at) => `r-${at}`), "|day"],
  [
    "id, one protocol",
    keyed("id", grid(PROTOCOLS.slice(0, 1), 40, days), (at) => `r-${at}`),
    "protocol|day",
  ],
  [
    "id, chain and kind",
    keyed(
      "id",
      grid(pairsOf("chain", ["base", "op"], "kind", ["fees", "revenue"]), 12),
      (at) => `r-${at}`,
    ),
    "chain+kind|date",
  ],
  [
    "id, entries and exits",
    keyed("id", grid(PROTOCOLS, 24).filter((_, at) => at % 5 < 4), (at) => `r-${at}`),
    "protocol|date",
  ],
  [
    "id, three of ten cells",
    keyed("id", grid(PROTOCOLS, 40, days).filter((_, at) => isSome(at)), (at) => `r-${at}`),
    "protocol|day",
  ],
  ["cohorts with id", keyed("id", COHORTS, (at) => `c-${at}`), "funnel|cohort"],
  [
    "cohorts with cohort_key",
    COHORTS.map((row) => ({ cohort_key: `${row.funnel}-${row.cohort}`, ...row })),
    "funnel|cohort",
  ],
  ["cohorts with row_id", keyed("row_id", COHORTS, (at) => at), "funnel|cohort"],
  [
    "cohorts by month with cohort_key",
    COHORTS.flatMap(({ month_0, month_1, ...row }) =>
      [0, 1].map((month) => ({
        cohort_key: `${row.funnel}-${row.cohort}`,
        ...row,
        month,
        retained: month ? month_1 : month_0,
      }))
    ),
    "funnel|cohort+month",
  ],
  ["id, doubled rows", keyed("id", [...DAILY, ...DAILY.slice(0, 2)], (at) => `r-${at}`), "refuse"],
  [
    "campaign of a month, channel",
    ["ads", "mail", "seo"].flatMap((channel) =>
      Array.from(
        { length: 12 },
        (_, month) => ({
          campaign: `${channel}-${month}`,
          channel,
          date: monthAt(month),
          spend: 10,
        }),
      )
    ),
    "channel|date",
  ],
  ["place, protocol", PLACES, "refuse"],
  ["protocol, place", PLACES.map(({ place, ...row }) => ({ ...row, place })), "refuse"],
  [
    "seat, player",
    PLACES.map(({ place, protocol, ...row }) => ({ seat: place, player: protocol, ...row })),
    "refuse",
  ],
  ["leader, country", LEADERS, "country|date", "refuse"],
  [
    "country, leader",
    LEADERS.map(({ leader, country, ...row }) => ({ country, leader, ...row })),
    "country|date",
    "refuse",
  ],
  ["ten transactions a day", EVENTS, "refuse"],
  ["transactions without a key", EVENTS.map(({ tx_hash: _, ...row }) => row), "refuse"],
  [
    "trades of wallets and tokens",
    Array.from(
      { length: 400 },
      (_, at) => ({
        trade_id: `t${at}`,
        wallet: `w${at * 7 % 20}`,
        token: `k${at * 3 % 4}`,
        day: dayAt(Math.floor(at / 8)),
        usd: at,
      }),
    ),
    "refuse",
  ],
  [
    "votes",
    Array.from(
      { length: 60 },
      (_, at) => ({
        proposal_id: `p${at}`,
        protocol: PROTOCOLS[at % 6]!.protocol,
        day: dayAt(7 * at),
        votes: at,
      }),
    ),
    "refuse",
  ],
  [
    "name, category, launched",
    PROTOCOLS.map(({ protocol }, at) => ({
      name: protocol,
      category: "abab".charAt(at % 4),
      launched: new Date(Date.UTC(2017 + at, at, 10 + at)),
      tvl: 10 * at,
    })),
    "name|launched",
    "refuse",
  ],
  [
    "twenty launches",
    Array.from(
      { length: 20 },
      (_, at) => ({
        name: `n${at}`,
        category: "abc"[at % 3],
        launched: dayAt(37 * at + at * at),
        tvl: at,
      }),
    ),
    "name|launched",
    "refuse",
  ],
  [
    "protocol, launched",
    Array.from(
      { length: 20 },
      (_, at) => ({ protocol: `n${at}`, launched: dayAt(37 * at + at * at), tvl: at }),
    ),
    "protocol|launched",
    "refuse",
  ],
  [
    "project, sector, year",
    Array.from(
      { length: 16 },
      (_, at) => ({
        project: `n${at}`,
        sector: "abcdefgh"[at % 8],
        launched: yearAt(2017 + at % 8),
        tvl: at,
      }),
    ),
    "project|launched",
    "refuse",
  ],
  [
    "fund, vintage",
    Array.from(
      { length: 10 },
      (_, at) => ({ fund: `f${at}`, vintage: yearAt(2010 + at), irr: at }),
    ),
    "fund|vintage",
    "refuse",
  ],
  [
    "one series with a remark",
    grid([{}], 12, { more: (time) => ({ remark: time % 3 ? "final" : "estimate" }) }),
    "|date",
    "refuse",
  ],
  [
    "one series, a remark of each row",
    grid([{}], 12, { more: (time) => ({ remark: `n${time}` }) }),
    "remark|date",
    "|date",
    "refuse",
  ],
  [
    "a snapshot of name, category, chain",
    [["a", "x", "m"], ["b", "x", "n"], ["c", "y", "m"], ["d", "y", "n"]].map((
      [name, category, chain],
      at,
    ) => ({ name, category, chain, tvl: at })),
    "name|",
  ],
  [
    "created_at, day",
    grid(PROTOCOLS, 10, days).map((row, at) => ({
      created_at: dayAt(-100 * Math.floor(at / 10) - 50),
      ...row,
    })),
    "protocol|day",
  ],
  [
    "day, loaded_at",
    grid(PROTOCOLS, 10, days).map((row) => ({
      ...row,
      loaded_at: new Date("2025-03-01T10:00:00Z"),
    })),
    "protocol|day",
  ],
  [
    "loaded_at, day",
    grid(PROTOCOLS, 10, days).map((row) => ({
      loaded_at: new Date("2025-03-01T10:00:00Z"),
      ...row,
    })),
    "protocol|day",
  ],
  [
    "updated_at of each row, day",
    grid(PROTOCOLS, 10, days).map((row, at) => ({
      updated_at: new Date(Date.UTC(2025, 2, 1, 0, 0, at)),
      ...row,
    })),
    "protocol|day",
  ],
  [
    "first_day, last_day",
    grid(PROTOCOLS, 10, {
      name: "first_day",
      more: (time) => ({ last_day: new Date(Date.UTC(2024, time + 1, 0)) }),
    }),
    "protocol|first_day",
  ],
  [
    "date, settled",
    grid(PROTOCOLS, 10, { at: dayAt, more: (time) => ({ settled: dayAt(time + 1) }) }),
    "protocol|date",
  ],
  [
    "land, jahr",
    grid(["DE", "FR", "CH"].map((land) => ({ land })), 6, {
      name: "jahr",
      at: (time) => yearAt(2018 + time),
    }),
    "land|jahr",
  ],
  [
    "land and kanal, woche",
    grid(pairsOf("land", ["DE", "FR"], "kanal", ["ads", "seo"]), 8, {
      name: "woche",
      at: (time) => dayAt(5 + 7 * time),
    }),
    "land+kanal|woche",
  ],
  ["chainId of numbers", grid([1, 10, 8453].map((chainId) => ({ chainId })), 6), "chainId|date"],
  ["pool of numbers", grid([1, 2, 3].map((pool) => ({ pool })), 6), "refuse"],
  [
    "code, country",
    grid([["DEU", "Germany"], ["FRA", "France"]].map(([code, country]) => ({ code, country })), 6),
    "code|date",
    "country|date",
  ],
  [
    "iso_code, continent, location",
    grid(
      [["DEU", "Germany", "Europe"], ["FRA", "France", "Europe"], ["BRA", "Brazil", "America"]].map(
        ([iso_code, location, continent]) => ({ iso_code, continent, location }),
      ),
      6,
    ),
    "iso_code|date",
    "location|date",
  ],
  [
    "address, symbol, chain",
    grid(
      [["0x1", "USDC", "base"], ["0x2", "USDC", "op"], ["0x3", "DAI", "base"]].map((
        [address, symbol, chain],
      ) => ({ address, symbol, chain })),
      6,
    ),
    "address|date",
  ],
  [
    "an address on two chains",
    grid(
      [["0x1", "base"], ["0x1", "op"], ["0x3", "base"]].map(([address, chain]) => ({
        address,
        chain,
      })),
      6,
    ),
    "address+chain|date",
  ],
  [
    "protocol and metric",
    grid(pairsOf("protocol", ["aave", "uni", "lido"], "metric", ["fees", "tvl"]), 6),
    "protocol+metric|date",
  ],
  [
    "a text of the week beside the date",
    grid(PROTOCOLS, 6, {
      at: (time) => dayAt(5 + 7 * time),
      more: (time) => ({ week: `W${time + 2}` }),
    }),
    "protocol|date",
  ],
  [
    "a text of the quarter beside the date",
    grid(PROTOCOLS, 6, {
      at: (time) => monthAt(3 * time),
      more: (time) => ({ label: `${2024 + Math.floor(time / 4)}-Q${time % 4 + 1}` }),
    }),
    "protocol|date",
  ],
  [
    "two protocols and a flag that is opposite",
    grid(TWO, 8, {
      more: (time, at) => ({ status: (time % 3 === 0) === (at === 0) ? "up" : "down" }),
    }),
    "refuse",
  ],
  [
    "teams that rotate",
    grid(PROTOCOLS, 8, { more: (time, at) => ({ team: `t${(at + Math.floor(time / 4)) % 6}` }) }),
    "refuse",
  ],
];

/** Frames that steps of polars make of protocols on chains. */
function framesOfSteps(): readonly (readonly [string, DataFrame, ...string[]])[] {
  const full = pl.DataFrame(
    grid(["base", "op"].flatMap((chain) => PROTOCOLS.map((each) => ({ ...each, chain }))), 6),
  );
  const is = (column: string, text: string) => pl.col(column).eq(pl.lit(text));
  const either = ["protocol|date", "chain|date", "protocol+chain|date"];
  return [
    ["both chains", full, "protocol+chain|date"],
    ["filtered to a chain", full.filter(is("chain", "base")), "protocol|date"],
    ["filtered to a protocol", full.filter(is("protocol", "uni")), "chain|date"],
    ["filtered to both", full.filter(is("protocol", "uni").and(is("chain", "op"))), ...either],
    [
      "filtered to a date",
      full.filter(pl.col("date").eq(pl.lit(monthAt(2)))),
      "protocol+chain|date",
    ],
    [
      "one chain of each of two protocols",
      full.filter(
        is("protocol", "aave").and(is("chain", "base")).or(
          is("protocol", "uni").and(is("chain", "op")),
        ),
      ),
      ...either,
    ],
    [
      "filtered to a protocol of one market",
      pl.DataFrame(grid(PROTOCOLS.map((each) => ({ market: "eu", ...each })), 6))
        .filter(is("protocol", "uni")),
      "protocol|date",
    ],
    ["grouped", full.groupBy("chain", "date").agg(pl.col("fees").sum()), "chain|date"],
  ];
}

/** Frames of operations on sample data, and of analyses. */
async function framesOfService(): Promise<readonly (readonly [string, DataFrame, ...string[]])[]> {
  const breakdown = (group_by: string) =>
    metricBreakdown({ metric_ids: ["fees"], interval: "30d", group_by } as never);
  const curves = retentionCurves(await cohortAnalysis({}));
  const months = await timeline({
    metric_ids: ["fees"],
    group_by: "chains",
    every: "month",
    from: "2026-01",
  });
  const span = pl.when(pl.col("cohort_date").gtEq(pl.lit(yearAt(2025)))).then(pl.lit("after"))
    .otherwise(pl.lit("before")).alias("span");
  const one = String(months.getColumn("data_id").get(0));
  return [
    ["blockchainComparison", await blockchainComparison(), "chain_id|"],
    ["fees of chains", await breakdown("chains"), "data_id|"],
    ["fees of projects", await breakdown("projects"), "data_id|"],
    ["fees of projects on chains", await breakdown("chain-project"), "data_id+chain_id|"],
    [
      "metricAggregations",
      await metricAggregations({ project_ids: ["tidewater"] }),
      "project_id|metric_id",
      "project_id|metric_id+metric_aggregation_name",
    ],
    [
      "projectContracts",
      await projectContracts({}),
      "account_address+chain_id|",
      "account_address|",
    ],
    ["cohortAnalysis", await cohortAnalysis({}), "project_id|cohort"],
    ["retentionCurves", curves, "project_id|cohort+month"],
    [
      "pooledRetention",
      pooledRetention(curves, { by: "market_sector_id" }),
      "market_sector_id|month",
    ],
    [
      "pooledRetention of sector and span",
      pooledRetention(curves.withColumns(span), { by: ["market_sector_id", "span"] }),
      "market_sector_id+span|month",
    ],
    [
      "compareRetention",
      compareRetention(curves, { by: "market_sector_id", month: 1 }),
      "group_a+group_b|",
      "group_a+group_b|month",
    ],
    ["timeline", months, "data_id|date"],
    ["timeline of a chain", months.filter(pl.col("data_id").eq(pl.lit(one))), "data_id|date"],
    ["growthRates", growthRates(months, { field: "fees_sum" }), "data_id|date"],
    ["shares", shares(months, { field: "fees_sum" }), "data_id|date"],
  ];
}

/** Returns the frames of users, without a request. */
export function ownKinds(): FrameKind[] {
  return [
    ...ROWS.map(([name, rows, ...right]) => ({ name, frame: frameOf(rows), right })),
    ...framesOfSteps().map(([name, frame, ...right]) => ({ name, frame, right })),
  ];
}

/** Returns the frames of the service, and of analyses of them. */
export async function servedKinds(): Promise<FrameKind[]> {
  return (await framesOfService()).map(([name, frame, ...right]) => ({ name, frame, right }));
}

/** Makes a frame of rows. Dates without a time have the dtype Date. */
export function frameOf(rows: readonly Row[]): DataFrame {
  const frame = pl.DataFrame(
    Object.fromEntries(
      Object.keys(rows[0]!).map((name) => [name, rows.map((row) => row[name])]),
    ) as never,
  );
  const dated = frame.columns.filter((name) =>
    rows.every((row) => row[name] instanceof Date && Number(row[name]) % 86_400_000 === 0)
  );
  return dated.length === 0
    ? frame
    : frame.withColumns(...dated.map((name) => pl.col(name).cast(pl.Date)));
}
