import { connect } from "../../lib/http/connect.ts";
import type { Connection } from "../../lib/http/connect.ts";
import { metricBreakdown } from "../../lib/operations/metric_breakdown.ts";
import { timeline, type TimelineQuery } from "../../lib/operations/timeline.ts";
import { dayOf, dayText, periodAt } from "../../lib/schema/period.ts";
import type { Service } from "../../lib/service/mod.ts";
import { provenanceOf } from "../../lib/table/track/provenance.ts";

export const TOKEN = "test-token";

/** A connection to a service of this process. */
export function connectTo(service: Service): Connection {
  return connect({
    baseUrl: "http://127.0.0.1:9",
    token: TOKEN,
    fetch: (request) => service.fetch(request),
    requestsPerMinute: Infinity,
    onMissing: "ignore",
  });
}

/** The periods of a query, by walking over its days. */
export function periodsOf({ every, from, to }: TimelineQuery): { start: string; end: string }[] {
  const found = new Map<number, { start: string; end: string }>();
  for (let day = dayOf(from); day <= dayOf(to!); day++) {
    const { start, end } = periodAt(day, every);
    found.set(start, { start: dayText(start), end: dayText(end) });
  }
  return [...found.values()];
}

/** A value of a row. */
export type Cell = string | number | boolean | null;

/** The rows that single questions bring, with their periods before them. */
export async function singly(query: TimelineQuery, connection: Connection) {
  const { every: _, from: __, to: ___, ...filters } = query;
  const { data_through, data_since } = provenanceOf(
    await metricBreakdown({ ...filters, interval: "24h" }, connection),
  );
  const rows: Record<string, Cell>[] = [];
  for (const { start, end } of periodsOf(query)) {
    const frame = await metricBreakdown({ ...filters, interval: "max", start, end }, connection);
    const complete = new Date(start) >= data_since! && new Date(end) <= data_through!;
    const records = frame.toRecords() as Record<string, Cell>[];
    rows.push(...records.map((record) => ({ date: start, until: end, complete, ...record })));
  }
  return rows;
}

/** The rows of one timeline. */
export async function together(query: TimelineQuery, connection: Connection) {
  const frame = await timeline(query, connection);
  const records = frame.toRecords() as Record<string, Cell | Date>[];
  return records.map((record): Record<string, Cell> => ({
    ...record as Record<string, Cell>,
    date: (record.date as Date).toISOString().slice(0, 10),
    until: (record.until as Date).toISOString().slice(0, 10),
  }));
}

/** Neither the order of columns nor a column that is null in a single response, and so missing there. */
export function known(rows: readonly Record<string, Cell>[]): Record<string, Cell>[] {
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, v]) => v !== null)));
}
