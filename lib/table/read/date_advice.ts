import { inWords, optionOf } from "../../platform/statement.ts";
import { dayOf, dayText } from "../../schema/period.ts";
import { dayNumber, monthNamed } from "../../schema/grammar.ts";
import { type DataFrame, pl } from "../columns/polars.ts";

type Column = ReturnType<typeof pl.col>;

/** A form that can have several meanings. */
interface Meaning {
  readonly pattern: RegExp;
  /** Returns the day that a text means. NaN for a day that does not exist. */
  readonly dayFrom: (parts: readonly string[]) => number;
  /** The steps that make dates of a column, as code. */
  readonly code: string;
  readonly make: (column: Column) => Column;
  /** The value of the option `dates` of a file. */
  readonly format?: string;
}

const parsed = (format: string) => ({
  code: `.str.strptime(pl.Date, "${format}")`,
  make: (column: Column) => column.str.strptime(pl.Date, format),
  format,
});

const MEANINGS: readonly Meaning[] = [
  ...["/", ".", "-"].flatMap((sign): Meaning[] => {
    const pattern = new RegExp(`^(\\d{1,2})[${sign}](\\d{1,2})[${sign}](\\d{4})$`);
    return [
      {
        pattern,
        dayFrom: ([d, m, y]) => dayNumber(Number(y), Number(m), Number(d)),
        ...parsed(["%d", "%m", "%Y"].join(sign)),
      },
      {
        pattern,
        dayFrom: ([m, d, y]) => dayNumber(Number(y), Number(m), Number(d)),
        ...parsed(["%m", "%d", "%Y"].join(sign)),
      },
    ];
  }),
  {
    pattern: /^([A-Za-z]{3})-(\d\d)$/,
    dayFrom: ([name, year]) => dayNumber(2000 + Number(year), monthNamed(name!), 1),
    code: '.add(pl.lit("-01")).str.strptime(pl.Date, "%b-%y-%d")',
    make: (column) => column.add(pl.lit("-01")).str.strptime(pl.Date, "%b-%y-%d"),
  },
  {
    // Days of spreadsheets are counted from 30 December 1899.
    pattern: /^(\d{5})$/,
    dayFrom: ([days]) => Number(days) - 25_569,
    code: ".minus(25569).cast(pl.Int32).cast(pl.Date)",
    make: (column) => column.minus(25_569).cast(pl.Int32).cast(pl.Date),
  },
  {
    pattern: /^(\d{5})$/,
    dayFrom: ([days]) => Number(days),
    code: ".cast(pl.Int32).cast(pl.Date)",
    make: (column) => column.cast(pl.Int32).cast(pl.Date),
  },
];

/** Of so many texts, one can be another. */
const FEWEST = 5;
/** Days of other years are hardly meant. */
const [EARLIEST, LATEST] = [dayOf("1990-01-01"), dayOf("2060-12-31")];

/**
 * Returns the end of a message about a column that is not read as times: the lines that make dates of it. Each line was
 * tried: polars makes the days of the whole column that the line states. `strptime` also finds a date inside a text, so
 * the days are compared.
 */
export function dateAdvice(frame: DataFrame, name: string): string {
  const known = pl.DataFrame([frame.getColumn(name).dropNulls().unique({ maintainOrder: true })]);
  const values: unknown[] = known.getColumn(name).toArray();
  // Nothing is read from a column of nulls.
  if (values.length === 0) return "";
  const lines = MEANINGS.flatMap(({ pattern, dayFrom, code, make, format }) => {
    const days = values.map((value) => {
      const match = pattern.exec(String(value));
      return match === null ? NaN : dayFrom(match.slice(1));
    });
    const read = days.filter((day) => day >= EARLIEST && day <= LATEST);
    const flags = format === undefined || read.length === 0
      ? ""
      : `for ${dayText(read[0]!)} pass ${optionOf("dates", name, format)}`;
    // Of a total below the table, the option names the row.
    if (read.length < days.length) {
      const isMostly = days.length >= FEWEST && read.length === days.length - 1;
      return isMostly ? [inWords({ flags, code: "" })] : [];
    }
    try {
      const made = known.select(make(pl.col(name)).cast(pl.Float64).alias("(day)"));
      if (!made.getColumn("(day)").toArray().every((day, row) => day === days[row])) return [];
    } catch {
      return [];
    }
    const column = JSON.stringify(name);
    const written = `for ${dayText(days[0]!)} write frame.withColumns(pl.col(${column})${code})`;
    return [inWords({ flags, code: written })];
  }).filter((line) => line !== "");
  return lines.length === 0 ? "" : `; ${lines.join(", or ")}`;
}
