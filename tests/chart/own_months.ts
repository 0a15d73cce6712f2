import { type DataFrame, pl } from "../../lib/table/columns/polars.ts";
import { withSource } from "../../lib/table/track/with_source.ts";

/** Values of one protocol, by month from January 2025 on, or by day from 1 January 2023 on. */
export type Values = readonly (number | null)[];

/** A user's own table of fees by protocol and day. A value of undefined has no row. */
export function ownFees(
  lines: Readonly<Record<string, readonly (number | null | undefined)[]>>,
  { by = "month", adds = "both", retrievedAt = "2030-01-01", complete }: {
    readonly by?: "month" | "day";
    readonly adds?: "both" | "groups" | "none";
    readonly retrievedAt?: string;
    /** Whether the period at a place is complete, if the frame states it. */
    readonly complete?: (at: number) => boolean;
  } = {},
): DataFrame {
  const start = (at: number) =>
    new Date(by === "month" ? Date.UTC(2025, at, 1) : Date.UTC(2023, 0, 1 + at));
  const rows = Object.entries(lines).flatMap(([protocol, values]) =>
    values.flatMap((value, at) =>
      value === undefined ? [] : [{
        protocol,
        value,
        at,
        start: start(at),
        end: new Date(start(at + 1).getTime() - 86_400_000),
      }]
    )
  );
  const frame = pl.DataFrame([
    pl.Series("protocol", rows.map(({ protocol }) => protocol), pl.Utf8),
    pl.Series("date", rows.map(({ start }) => start), pl.Date),
    ...complete === undefined ? [] : [
      pl.Series("until", rows.map(({ end }) => end), pl.Date),
      pl.Series("complete", rows.map(({ at }) => complete(at)), pl.Bool),
    ],
    pl.Series("fees_usd", rows.map(({ value }) => value), pl.Float64),
  ]);
  return withSource(frame, {
    citation: "Own (2026)",
    retrievedAt,
    columns: { fees_usd: { unit: "usd", adds } },
  });
}
