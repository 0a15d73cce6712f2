import { relative } from "node:path";
import type { Recipe } from "../../lib/output/recipe.ts";
import { METHODS } from "../../lib/output/recipe_methods.ts";
import { camelName } from "../cli/script.ts";
import { draws } from "../recipe/steps.ts";

/** Returns a value as TypeScript: JSON, with plain names of members. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, each]) =>
    `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: ${literal(each)}`
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function listed(args: readonly unknown[]): string {
  return args.filter((arg) => JSON.stringify(arg) !== "{}").map(literal).join(", ");
}

/** Returns the lines of TypeScript that do the same as a recipe, and show or save its result. */
export function typescriptOf(
  { source, steps }: Recipe,
  { tables, out }: { readonly tables: string | null; readonly out: readonly string[] },
): string {
  const names = new Set<string>();
  const use = (name: string) => (names.add(name), name);
  const path = "operation" in source ? "" : source.address ??
    `${tables === null || tables === "." ? "" : `${relative(".", tables) || "."}/`}${source.file}`;
  const options = "operation" in source ? [] : [source.options ?? {}];
  const opened = "operation" in source
    ? `${use(camelName(source.operation))}(${literal(source.query)})`
    : `${use("openFrame")}(${listed([path, ...options])})`;
  const lines = [`const step0 = await ${opened};`];
  for (const [index, [name, ...args]] of steps.entries()) {
    const call = METHODS.has(name)
      ? `step${index}.${name}(${listed(args)})`
      : `${use(name)}(${[`step${index}`, listed(args)].filter(Boolean).join(", ")})`;
    lines.push(`const step${index + 1} = ${call};`);
  }
  const last = `step${steps.length}`;
  const isChart = steps.length > 0 && draws(steps.at(-1)![0]);
  for (const file of out) lines.push(`await ${use("save")}(${last}, ${JSON.stringify(file)});`);
  if (out.length === 0 && !isChart) lines.push(`console.log(${last});`);
  const imports = [...names].toSorted().join(", ");
  return [`import { ${imports} } from "@chainframe/chainframe";`, "", ...lines, ""].join("\n");
}
