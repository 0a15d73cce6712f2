import type { Schema } from "../../scripts/cli/declared_options.ts";
import { TOOLS } from "../../scripts/mcp/tools.ts";

// deno-lint-ignore no-explicit-any -- schemas have no static type
type Any = any;
const { properties, defs } = TOOLS.pipe! as Any;
const STEPS: Record<string, Any> = properties.steps.items.properties;

function resolved(schema: Any): Any {
  return schema.$ref ? { ...defs[schema.$ref.split("/").at(-1)], ...schema } : schema;
}

/** Returns the options of a step in the schema of the tool `pipe`, with those of its group. */
export function stepOptions(name: string): Record<string, Schema> {
  const schema = STEPS[name]!;
  return { ...schema.$ref && defs[schema.$ref.split("/").at(-1)].properties, ...schema.properties };
}

/** Returns a value of a schema. */
export function valueOf(given: Schema): unknown {
  const { anyOf, enum: words, type, items, properties, additionalProperties } = resolved(given);
  if (anyOf) return valueOf(anyOf[0]);
  if (words) return words[0];
  if (type === "array") return [valueOf(items)];
  if (type === "object") {
    return properties
      ? Object.fromEntries(
        Object.entries<Any>(properties).map(([name, each]) => [name, valueOf(each)]),
      )
      : { fees: valueOf(additionalProperties) };
  }
  return ({ string: "fees", number: 3, boolean: true, integer: 3 } as Any)[type];
}

/** Matches errors that the type of a value causes, and not its size. */
export const OF_TYPE =
  /must be (?:a (?:text|string|number(?! (?:of|from))|boolean|list)|an object|true or false)\b/;
