import { Buffer } from "node:buffer";
import { shown } from "../platform/terminal.ts";
import { dtypeNames } from "../table/columns/dtypes.ts";
import { type DataFrame, pl, type Series } from "../table/columns/polars.ts";
import type { Findings } from "./findings.ts";

/** Returns the frame of a Parquet or Arrow file. If polars cannot read a column of Parquet, the error names its position. */
function frameIn(bytes: Buffer, format: "parquet" | "arrow"): DataFrame {
  if (format === "arrow") return pl.readIPC(bytes);
  try {
    return pl.readParquet(bytes);
  } catch {
    // One of the columns fails, so this does not go past the last one, where polars panics.
    for (let at = 0;; at++) {
      try {
        pl.readParquet(bytes, { columns: [at] } as unknown as Parameters<typeof pl.readParquet>[1]);
      } catch (cause) {
        const [reason] = (cause as Error).message.split("\n");
        throw new RangeError(`the column at position ${at} (from 0) cannot be read: ${reason}`, {
          cause,
        });
      }
    }
  }
}

/** Returns the dtype of a column as polars writes it, such as `binary`, also if JavaScript does not have it. */
function dtypeOf(column: Series): string {
  return /^Series: .* \[(.*)\]$/m.exec(column.toString())?.[1] ?? "unknown";
}

function hexOf(bytes: readonly number[] | null): string | null {
  return bytes === null ? null : `0x${Buffer.from(bytes).toString("hex")}`;
}

/** Returns a column that JavaScript cannot read as texts, and how. Null if there is no way. */
function textColumn(
  frame: DataFrame,
  name: string,
): { readonly column: Series; readonly how: string } | null {
  const one = pl.DataFrame([frame.getColumn(name).rename("cell")]);
  const dtype = dtypeOf(one.getColumn("cell"));
  const isBinary = dtype === "binary";
  if (!isBinary && !/^(?:enum|cat|[iu]128)/.test(dtype)) return null;
  const as = (column: Series, how: string) => ({
    column: column.rename(name),
    how: `${dtype} as ${how}`,
  });
  try {
    return as(one.select(pl.col("cell").cast(pl.Utf8, true)).getColumn("cell"), "text");
  } catch {
    if (!isBinary) return null;
    const lists = one.select(pl.col("cell").cast(pl.List(pl.UInt8))).getColumn("cell").toArray();
    return as(
      pl.Series(name, (lists as unknown as (number[] | null)[]).map(hexOf) as string[], pl.Utf8),
      "hex",
    );
  }
}

/** Returns whether JavaScript can read the dtype of a column. */
function isReadable(column: Series): boolean {
  try {
    return !/\(.*Decimal/.test(dtypeNames(pl.DataFrame([column]))[0]!);
  } catch {
    return false;
  }
}

/** Returns the columns that JavaScript can read. A sentence names each column that is changed or left out. */
function readableColumns(frame: DataFrame, { changes }: Findings): Series[] {
  return frame.columns.flatMap((name) => {
    const column = frame.getColumn(name);
    if (isReadable(column)) return [column];
    const text = textColumn(frame, name);
    changes.push(
      text === null
        ? `${name}: left out, because ${dtypeOf(column)} is not supported`
        : `${name}: read ${text.how}`,
    );
    return text === null ? [] : [text.column];
  });
}

/** Most significant digits of a decimal number that Float64 keeps. */
const MOST_DIGITS = 15;

/** Converts columns of decimals, which JavaScript cannot read, to Float64. A sentence names columns that lose digits. */
function withoutDecimals(frame: DataFrame, { changes }: Findings): DataFrame {
  const dtypes = dtypeNames(frame);
  const names = frame.columns.filter((_, index) => dtypes[index]!.startsWith("Decimal"));
  if (names.length === 0) return frame;
  const digits = (text: string | null) =>
    (text ?? "").replace(/^-?0*\.?0*|\./g, "").replace(/0+$/, "").length;
  const rounded = names.filter((name) =>
    (frame.getColumn(name).cast(pl.Utf8).toArray() as (string | null)[])
      .some((text) => digits(text) > MOST_DIGITS)
  );
  if (rounded.length > 0) {
    const list = rounded.map(shown).join(", ");
    changes.push(`decimals are read as Float64, which rounds values of ${list}`);
  }
  return frame.withColumns(...names.map((name) => pl.col(name).cast(pl.Float64)));
}

/** Returns the columns of a Parquet or Arrow file. */
export function binaryColumns(
  bytes: Buffer,
  format: "parquet" | "arrow",
  findings: Findings,
): Map<string, Series> {
  const columns = readableColumns(frameIn(bytes, format), findings);
  const frame = withoutDecimals(pl.DataFrame(columns), findings);
  return new Map(frame.columns.map((name) => [name, frame.getColumn(name)]));
}
