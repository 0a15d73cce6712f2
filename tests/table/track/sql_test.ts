import { deepStrictEqual, match, strictEqual, throws } from "node:assert/strict";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { annotate, inputsOf, provenanceOf } from "../../../lib/table/track/provenance.ts";
import { track } from "../../../lib/table/track/track.ts";
import { trackedPolars as remembering } from "../../../lib/table/track/tracked_polars.ts";
import type { Operation } from "../../../lib/schema/vocabulary.ts";
import { sql } from "../../../lib/table/track/sql.ts";
import { response } from "../response.ts";

function answered(operation: Operation, columns: object): DataFrame {
  const provenance = response({ operation, source: "service" });
  return track(annotate(pl.DataFrame(columns as never), { provenance, errors: pl.DataFrame() }));
}

const chains = answered("blockchain_comparison", { chain_id: ["a", "b", "c"], fees: [1, 3, 2] });
const names = answered("project", { chain_id: ["a", "b"], name: ["Alder", "Basalt"] });

Deno.test("sql joins frames, and its result has the provenance of all and the query as a step", () => {
  const result = sql(
    "select n.name, c.fees\n from chains c join names n on c.chain_id = n.chain_id order by fees desc",
    { chains, names },
  );
  deepStrictEqual(result.toRecords(), [{ name: "Basalt", fees: 3 }, { name: "Alder", fees: 1 }]);
  const { steps } = provenanceOf(result);
  deepStrictEqual(inputsOf(provenanceOf(result)).map(({ operation }) => operation), [
    "blockchain_comparison",
    "project",
  ]);
  match(steps[0]!, /^sql: select n\.name, c\.fees from chains c join/);
  match(Deno.inspect(result), /derived from blockchain_comparison \+ project/);
});

Deno.test("sql accepts WITH, subqueries, any text, and a frame without provenance", () => {
  const with_ = "with t as (select * from chains where fees > 1) select count(*) as n from t;";
  strictEqual(sql(with_, { chains }).getColumn("n").toArray()[0], 2);
  const inner = "select fees from (select * from chains) where chain_id = 'a; drop--' or fees = 2";
  deepStrictEqual(sql(inner, { chains }).toRecords(), [{ fees: 2 }]);
  throws(() => provenanceOf(sql("select * from t", { t: pl.DataFrame({ a: [1] }) })), RangeError);
});

Deno.test("sql runs queries whose words, texts and comments look like readers of files", () => {
  const cases: [query: string, first: unknown][] = [
    ["select extract(year from cast('2024-02-01' as date)) as y", 2024],
    ["select trim(both 'x' from lower('Xax')) as s", "a"],
    ["select substring('abc' from length('ab')) as s", "bc"],
    ["select 1 as a from chains where fees is not distinct from abs(-3)", 1],
    ["select * from (values (7)) as v(a)", 7],
    ["select * from unnest([4, 5]) as v(n)", 4],
    [
      "(select fees from chains) union all (select(fees) from (select * from chains)) order by fees",
      1,
    ],
    ["select 'from read_csv(''x'')' as a -- read_csv('x')", "from read_csv('x')"],
    ["select 'b' -- read_csv('x') '\n as a", "b"],
    ['select "read_csv" from (select fees as read_csv from chains) as "from"', 1],
    ["select .5 + 5. as n", 5.5],
    ["select-fees,'a'||'b'as s,1<>2 as t,chains.*from chains", -1],
  ];
  for (const [query, first] of cases) {
    const [row] = sql(query, { chains }).toRecords();
    deepStrictEqual(Object.values(row!)[0], first, query);
  }
});

Deno.test("sql names unknown tables and columns, and refuses other statements and readers of files", () => {
  const cases: [query: string, told: RegExp][] = [
    ["select * from chain", /^sql: relation 'chain' was not found; got "select \* from chain"$/],
    [
      "select fee from chains",
      /unable to find column "fee"; valid columns: \["chain_id", "fees"\]/,
    ],
    ["drop table chains", /^sql: query: must be one SELECT or WITH statement; got/],
    ["select 1; select 2", /must be one SELECT or WITH statement/],
    ["-- select\nshow tables", /must be one SELECT or WITH statement/],
    ["select * from read_csv('/etc/passwd')", /must not call read_csv, which reads files/],
    ["select * from chains, READ_PARQUET ('x')", /must not call READ_PARQUET/],
    ["select * from \"read_csv\"('/etc/passwd')", /must not call "read_csv"/],
    ["select * from read_csv . x ('/etc/passwd')", /must not call read_csv/],
    ["select fees /* all */ from chains", /no SQL token, from "\/\* all \*\/ from chain" on/],
    ["select fees from `chains`", /no SQL token, from "`chains`" on/],
    ["select * from chains join other('x') on true", /'other' is not a supported table function/],
    [
      "select * from chains\n group",
      /^sql: sql parser error: .*; got "select \* from chains\\n group"$/,
    ],
    ["select $$a$$ as a", /no SQL token, from "\$\$a\$\$ as a" on/],
    ["select unnest([1, 2]) as n, fees from chains", /^sql: .*height.*; got "select unnest/],
    ["select x'41' as a", /has characters that are no SQL token, from "'41' as a" on/],
    ["select '\ud800", /has characters that are no SQL token/],
    ["select 10L as a", /has characters that are no SQL token, from "10L as a" on/],
    ["select * from chains where a = $1", /no SQL token, from "\$1" on/],
    [`select 1${" union all select 1".repeat(150)}`, /must have at most 600 words and signs/],
    [`select ${"cast(".repeat(15)}1`, /must have at most 14 levels of parentheses/],
    [`select ${"interval cast(".repeat(8)}1`, /must have at most 14 levels of parentheses/],
    [`select 1${" between 1 and (1)".repeat(14)} as n`, /at most 14 levels of parentheses/],
    [`select ${"case when a then 1 else ".repeat(31)}0${" end".repeat(31)}`, /at most 30 case/],
    [5 as never, /^sql: query: must be a text; got 5$/],
  ];
  for (const [query, message] of cases) throws(() => sql(query, { chains }), { message });
  const most = `select fees from chains where fees = 9${" or true".repeat(296)}`;
  strictEqual(sql(most, { chains }).height, 3);
  const nested = `${"cast(".repeat(14)}fees${" as int)".repeat(14)}`;
  strictEqual(sql(`select ${nested} as n from chains`, { chains }).height, 3);
  strictEqual(sql(`select 1 as n${" union all select 1".repeat(149)}`, { chains }).height, 150);
});

Deno.test("pl.SQLContext names sql, which keeps the sources", () => {
  throws(() => remembering.SQLContext({ chains }), {
    message: "pl.SQLContext: use sql(query, { chains }), which keeps the sources",
  });
});
