import { basename, dirname } from "node:path";
import type { RecipeStep, ResponseSource } from "../../lib/output/recipe.ts";
import { nameFlags } from "../../lib/platform/statement.ts";
import type { Chart, DataFrame } from "../../mod.ts";
import { createRunner } from "../recipe/run_recipe.ts";
import { connectionOf } from "./connection.ts";
import { onTable, tableSource } from "./own_table.ts";
import type { Arguments, Io } from "./script.ts";

/** The source of a script: the table of `--table`, or a response. */
export interface Opened {
  readonly isTable: boolean;
  /** Returns the frame after steps. The source is read once, and equal steps run once. */
  readonly frame: (...steps: readonly RecipeStep[]) => Promise<DataFrame>;
  /** Returns the chart that the last step draws. */
  readonly chart: (...steps: readonly RecipeStep[]) => Promise<Chart>;
}

/** Returns an error without the number of its step, which the user of a script did not type. */
function withoutStep(error: unknown): unknown {
  if (!(error instanceof RangeError)) return error;
  const message = error.message.replace(/^step \d+, /, "");
  return message === error.message ? error : new RangeError(message, { cause: error });
}

/**
 * Opens the source of a script, and runs steps after it.
 *
 * @param response The operation and its query, if there is no table.
 * @param query The options of the query, which a table does not have.
 */
export async function openSource(
  given: Arguments,
  io: Io,
  { response, query }: {
    readonly response: () => Promise<ResponseSource>;
    readonly query: readonly string[];
  },
): Promise<Opened> {
  const path = given.one("table");
  const table = await tableSource(given, query);
  const source = table ?? await response();
  const connection = await connectionOf(given, io.signal);
  nameFlags();
  const run = createRunner({
    connection: () => connection,
    tables: path === undefined ? null : dirname(path),
    given: path === undefined ? undefined : basename(path),
  });
  const after = async (steps: readonly RecipeStep[]) => {
    const opened = () => run({ source, steps: [] });
    if (table !== undefined) await onTable(opened);
    try {
      return await run({ source, steps });
    } catch (error) {
      throw withoutStep(error);
    }
  };
  return {
    isTable: table !== undefined,
    frame: (...steps) => after(steps) as Promise<DataFrame>,
    chart: (...steps) => after(steps) as Promise<Chart>,
  };
}
