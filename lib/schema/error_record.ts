import type { Field } from "./field.ts";

/** The fields of an entity error (INTERFACE 2.2). */
export const ERROR_RECORD: readonly Field<"code" | "field" | "value">[] = [
  { name: "code", dtype: "String" },
  { name: "field", dtype: "String" },
  { name: "value", dtype: "String" },
];
