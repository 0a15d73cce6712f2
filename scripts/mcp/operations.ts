/**
 * The responses as the tools take them: their texts are safe for agents before anything is computed or drawn from them.
 *
 * @module
 */
import { catalog, type Connection, type DataFrame } from "../../mod.ts";
import { safeFrame } from "./safe.ts";

/** Returns the frame of an operation with safe texts. A description of a project can be long. */
export function received(frame: DataFrame, operation: string, connection: Connection): DataFrame {
  return safeFrame(frame, connection, operation === "project" ? 10_000 : undefined);
}

/** Returns one list of the catalog. */
export async function catalogList(kind: string, connection: Connection): Promise<DataFrame> {
  const lists = await catalog(connection) as unknown as Record<string, DataFrame>;
  return safeFrame(lists[kind]!, connection);
}
