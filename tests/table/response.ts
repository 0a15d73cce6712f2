import type { ResponseProvenance } from "../../lib/table/track/provenance.ts";

/** The provenance of a response that no service sent. */
export function response(given: Partial<ResponseProvenance> = {}): ResponseProvenance {
  const { operation = "blockchain_comparison", source = "sample" } = given;
  return {
    kind: "response",
    operation,
    source,
    sample: source === "sample",
    url: `https://api.example.org/v2/${operation}`,
    query: {},
    retrieved_at: new Date("2026-01-02T03:04:05Z"),
    requests: 1,
    renamed: [],
    sha256: "00",
    data_through: null,
    data_since: null,
    notes: [],
    steps: [],
    ...given,
  };
}
