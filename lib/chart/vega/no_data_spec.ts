import { theme } from "../theme.ts";
import type { VegaSpec } from "./vega_spec.ts";

/** The body of a spec that says why it is empty. */
export function noDataSpec(says: string): VegaSpec {
  return {
    height: 120,
    data: { values: [{ says }] },
    mark: { type: "text", fontSize: 14, color: theme.muted },
    encoding: { text: { field: "says", type: "nominal" } },
  };
}
