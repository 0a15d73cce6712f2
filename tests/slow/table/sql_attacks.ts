/**
 * Tries to read a file and an address by SQL. Runs in a process without `--allow-net`, which reads only the project and
 * its packages, and prints the tricks that got through, as JSON.
 *
 * @module
 */
import { trackedPolars } from "../../../lib/table/track/tracked_polars.ts";
import { sql } from "../../../lib/table/track/sql.ts";

const [file, address] = Deno.args as [string, string];
const chains = trackedPolars.DataFrame({ chain_id: ["a", "b"], fees: [1, 2] });
const READERS = `read_csv('${file}')`;

/** The tricks, in which `F` stands for a call that reads the file or the address. */
const TRICKS = [
  "select * from F",
  "select $$'$$ as a, * from F",
  "select $$ ' $$, $x$ ' $x$, * from F --'",
  "select $ä$'$ä$ as a, * from F",
  "select $1$'$1$ as a, * from F",
  "select '$$' as a, * from F where '$$' = '$$'",
  "select /* /* */ ' */ 1 as a, * from F -- '",
  "select /* /* */ */ * from F",
  "select /*/ ' /*/ ' */ */ * from F --'",
  "select 1 -- '\r\n, * from F --'",
  "select 1 --\r' \n as a, * from F --'",
  "select '\\' as a, * from F -- '",
  "select e'\\'' as a, * from F -- '",
  "select E'\\' as a, ' from t union all select * from F -- '",
  "select x'41\\' as a, * from F -- '",
  "select r'''' ', * from F -- '",
  "select r\"'\" as a, * from F -- '",
  "select b\"'\" as a, * from F -- '",
  "select n'\\' as a, * from F -- '",
  "select u&'\\0027' as a, * from F",
  "select u&\"'\" as a, * from F -- '",
  "select '''' as a, * from F",
  'select """\'" as a, * from F --\'',
  "select \"'\" as a, * from F --'",
  "select `'` as a, * from F --'",
  "select ```'` as a, * from F --'",
  "select [1]['] as a, * from F --'",
  "select #' as a, * from F --'",
  "select @' as a, * from F --'",
  "select %' as a, * from F --'",
  "select a$$'$$ from F --'",
  "select * from chains, F",
  "select * from chains cross join F as r",
  "select * from chains join F as r on true",
  "select * from (((F)))",
  "select * from ((select * from ((F))))",
  "select * from lateral F",
  "select * from only F",
  "select * from table(F)",
  "from F",
  "with t as (select * from F) select * from t",
  "with t as (from F) select * from t",
  "with read as (select 1 as a), t as (select * from F) select * from t",
  "select * from chains union all select * from F",
  "select * from chains where fees in (select 1 from F)",
  "select distinct from F",
  "select 1 is distinct from F",
  "select extract(year from F)",
  "select trim(select * from F)",
  "select * from chains |> join F",
  "select(select * from F)",
  "select * from 'chains' where F",
  "select * from unnest(F) as t(a)",
  "values (1) union select * from F",
  "table F",
  "create table t as select * from F",
  "explain select * from F",
  "delete from chains where exists (select * from F)",
  "select 1; select * from F",
  ";select * from F",
  "\u0000select * from F",
  "select '\u0000' as a, * from F",
  "\uFEFFselect\u00a0*\u2003from\u3000F",
  "select\u0085* from F",
  "select * from F".padStart(1e6),
  `select '${"'".repeat(200_000)}' as a, * from F`,
  `select ${"/*".repeat(50_000)}${"*/".repeat(50_000)} * from F`,
];

/** The spellings of the call. */
const CALLS = [
  READERS,
  READERS.replace("read_csv", "READ_CSV"),
  READERS.replace("read_csv", "\u0052ead_\u0063sv"),
  READERS.replace("read_csv", '"read_csv"'),
  READERS.replace("read_csv", "`read_csv`"),
  READERS.replace("read_csv", "'read_csv'"),
  READERS.replace("read_csv", "$$read_csv$$"),
  READERS.replace("read_csv", "read_csv.x"),
  READERS.replace("read_csv", '"read_csv"."x"'),
  READERS.replace("read_csv", "read_csv . 'x' . y"),
  READERS.replace("read_csv", "read_csv /* '( */ --'\n"),
  READERS.replace("read_csv", "x.read_csv"),
  READERS.replace("read_csv", "scan_csv"),
  READERS.replace("read_csv", "read_json"),
  READERS.replace("read_csv", "read_parquet"),
  READERS.replace("read_csv", "read_ipc"),
  `read_csv($$${file}$$)`,
  `read_csv('${address}')`,
  `read_parquet('${address}')`,
  `'${file}'`,
  `"${file}"`,
];

/** Returns the texts of all cells, or null if the query is refused. */
function read(run: () => { toRecords(): unknown[] }): string | null {
  try {
    return JSON.stringify(run().toRecords());
  } catch {
    return null;
  }
}

const through: string[] = [];
for (const call of CALLS) {
  for (const trick of TRICKS) {
    const query = trick.replaceAll("F", () => call);
    for (
      const run of [
        () => sql(query, { chains }),
        () => sql(`select * from '${file}'`, { chains }),
      ]
    ) {
      const got = read(run);
      if (got?.includes("hunter2")) through.push(query.slice(0, 200));
    }
  }
}
// A query that only looks like a trick runs.
const control = sql("select 'from read_csv(''x'')' as a from chains -- F", { chains }).height;
console.log(JSON.stringify({ tried: TRICKS.length * CALLS.length, control, through }));
