import type { Column } from "../../schema/columns.ts";
import type { Columns } from "./frame_columns.ts";
import { afterExpressions } from "./step_columns.ts";

/** Lines of a plan that do not change columns. */
const NEUTRAL =
  /^(?:SORT BY|SLICE|UNIQUE|FILTER|FROM$|AGGREGATE|WITH_COLUMNS:|(?:LEFT|RIGHT) PLAN ON|PLAN \d+:|END .*JOIN|END UNION)/;

/** Divides the text of a list of expressions at its outer commas. */
function expressionsIn(list: string): string[] {
  const found = [""];
  let [depth, quoted] = [0, false];
  for (const sign of list) {
    if (sign === '"') quoted = !quoted;
    if (!quoted && "([{".includes(sign)) depth++;
    if (!quoted && ")]}".includes(sign)) depth--;
    if (sign === "," && depth === 0 && !quoted) found.push("");
    else found[found.length - 1] += sign;
  }
  return found.map((each) => each.trim());
}

/** Replaces `fees:chains`, the column `fees` of the right table of a join, by the name in `joined`. */
function fromRight(text: string): string {
  return text.replace(
    /^col\("([^":]+:)([^":]*)"\)(.*)$/,
    (_, name, table, calls) =>
      `col("${name}")${calls}${calls.includes(".alias(") ? "" : `.alias("${name}${table}")`}`,
  );
}

/** Adds the columns of the right side of a join, whose repeated names end in a colon and the table. */
function joined(left: Columns, right: Columns): Columns {
  const all = new Map<string, Column | undefined>([...right, ...left]);
  for (const [name, column] of right) all.set(`${name}:`, column);
  return all;
}

/** Returns the columns that have the same unit in all parts of a union. */
function united(parts: readonly Columns[]): Columns {
  const [first, ...others] = parts;
  return new Map(
    [...first ?? []].filter(([name, column]) =>
      others.every((other) => other.get(name)?.unit === column?.unit)
    ),
  );
}

/**
 * Returns the descriptions of the columns of an SQL query, from the lines of its plan. `tables` are the columns of its
 * tables. If a line is not understood, nothing is known of the columns.
 */
export function columnsOfPlan(plan: string, tables: Columns): Columns {
  // A plan lists each step above its inputs, so it is read from below, with a stack of results.
  const stack: (Columns | "union")[] = [];
  const unknown: Columns = new Map();
  const change = (list: string, only: boolean): boolean => {
    const before = stack.pop();
    if (before === undefined || before === "union") return false;
    return stack.push(afterExpressions(before, expressionsIn(list).map(fromRight), { only })) > 0;
  };
  const understood = (line: string): boolean => {
    if (/^DF \[/.test(line)) return stack.push(tables) > 0;
    const [, sums, keys] = /^\[(.*)\] BY \[(.*)\]$/.exec(line) ?? [];
    if (keys !== undefined) return change(`${keys}, ${sums}`, true);
    const [, select, list] = /^(SELECT )?\[(.*)\]$/.exec(line) ?? [];
    if (list !== undefined) return change(list, select !== undefined);
    if (/^[A-Z]+ JOIN:$/.test(line)) {
      const [left, right] = [stack.pop(), stack.pop()];
      if (!(left instanceof Map && right instanceof Map)) return false;
      return stack.push(joined(left, right)) > 0;
    }
    if (/^END UNION/.test(line)) return stack.push("union") > 0;
    if (/^UNION/.test(line)) {
      const begin = stack.lastIndexOf("union");
      const parts = stack.splice(begin).slice(1) as Columns[];
      return begin >= 0 && stack.push(united(parts)) > 0;
    }
    return NEUTRAL.test(line);
  };
  const lines = plan.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  if (!lines.reverse().every(understood)) return unknown;
  const [columns] = stack;
  return stack.length === 1 && columns instanceof Map ? columns : unknown;
}
