import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { activity, COLUMNS, rowsOf, STATEMENTS } from "./random_activity.ts";

function topLevel(list: string): string[] {
  const items: string[] = [];
  let depth = 0, from = 0;
  for (let at = 0; at <= list.length; at++) {
    if (list[at] === "(") depth++;
    else if (list[at] === ")") depth--;
    else if (at === list.length || (list[at] === "," && depth === 0)) {
      items.push(list.slice(from, at).trim());
      from = at + 1;
    }
  }
  return items;
}

Deno.test("no alias of a part equals a column or an alias that it uses", () => {
  const collisions = (sql: string) =>
    [...sql.matchAll(/SELECT ([^]*?)\bFROM /g)].flatMap(([, list]) =>
      topLevel(list!).flatMap((item) => {
        const [, expression, alias] = /^([^]+) AS (\w+)$/.exec(item) ?? [];
        if (alias === undefined) return [];
        const words: string[] = expression!.match(/[a-z_]\w*/gi) ?? [];
        return COLUMNS.includes(alias) || words.includes(alias) ? [alias] : [];
      })
    );
  equal(collisions("SELECT day, sum(fees) AS fees FROM activity"), ["fees"]);
  equal(collisions("SELECT toInt64(sum(n)) AS n FROM (SELECT count(*) AS n FROM t)"), ["n"]);
  for (const part of STATEMENTS.map(({ part }) => part)) {
    equal([part.name, collisions(part("activity"))], [part.name, []]);
  }
});

Deno.test("parts of users on several machines add up to the part of all users", async () => {
  const database = await activity();
  for (const { name, part, sum } of STATEMENTS) {
    const parts = [0, 1, 2].map((shard) =>
      part(`(SELECT * FROM activity WHERE hash(user_address) % 3 = ${shard}) AS activity`)
    );
    const whole = await rowsOf(database, part("activity"));
    equal(await rowsOf(database, sum(`(${parts.join(" UNION ALL ")}) AS parts`)), whole, name);
    ok(whole.length > 5, name);
  }
  database.close();
});
