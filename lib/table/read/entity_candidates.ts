import { fieldNamed } from "../../schema/dictionary.ts";
import { ENDPOINTS } from "../../schema/endpoints.ts";
import { dtypeNames, isText } from "../columns/dtypes.ts";
import type { DataFrame } from "../columns/polars.ts";
import { columnIn } from "../track/descriptions.ts";
import { responseOf } from "../track/provenance.ts";
import { holdsTimes } from "./times.ts";

/** Names of columns that hold names. */
export const NAMES = ["name", "title", "label"].map((word) =>
  new RegExp(`(^|_|[a-z])${word}$`, "i")
);
const IDS = /(^|_)(id|key|slug|address|hash|uuid)$|[a-z]I[dD]$/;
const WHOLE_IDS = /_id$|[a-z]I[dD]$/;

/** The ids of the service, which name entities and never rows. */
export const SERVED: ReadonlySet<string> = new Set<string>(
  Object.values(ENDPOINTS).flatMap(({ keys }) => keys),
);

/** Returns the first column of texts that holds only times. */
export function timesAsText(frame: DataFrame): string | undefined {
  // polars makes the lists of names and dtypes for each access.
  const dtypes = dtypeNames(frame);
  return frame.columns.find((name, at) => isText(dtypes[at]!) && holdsTimes(frame, name));
}

/** 2 for ids, 0 for names, 1 for other texts: columns with a lower rank are left out first. */
export function rankOf(frame: DataFrame, name: string): number {
  const role = columnIn(frame, name)?.role;
  if (role === "id" || role === undefined && IDS.test(name)) return 2;
  return role === "name" || NAMES.some((pattern) => pattern.test(name)) ? 0 : 1;
}

/** Returns whether a column can be a part of the entity. */
function isCandidate(frame: DataFrame, name: string, dtype: string): boolean {
  const column = columnIn(frame, name);
  if (column?.role === "note" || column?.role === "time") return false;
  if (column?.role === "value" && (column === fieldNamed(name) || column.from !== null)) {
    return false;
  }
  if (isText(dtype)) return true;
  if (!/^(U?Int|Float)/.test(dtype) || !WHOLE_IDS.test(name)) return false;
  return !dtype.startsWith("Float") ||
    frame.getColumn(name).toArray().every((id) => Number.isInteger(Number(id)));
}

/** Returns the columns that can be parts of the entity: the ids of the response that the frame still has, or texts. */
export function candidatesOf(frame: DataFrame, times: readonly string[]): string[] {
  const operation = responseOf(frame)?.operation as keyof typeof ENDPOINTS | undefined;
  const keys = operation === undefined ? [] : ENDPOINTS[operation].keys;
  if (keys.length > 0 && frame.columns.includes(keys[0]!)) {
    return keys.filter((name) => frame.columns.includes(name) && !times.includes(name));
  }
  const dtypes = dtypeNames(frame);
  return frame.columns.filter((name, at) =>
    !times.includes(name) && isCandidate(frame, name, dtypes[at]!) &&
    frame.getColumn(name).nullCount() === 0 && !holdsTimes(frame, name)
  );
}
