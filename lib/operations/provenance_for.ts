import { sha256 } from "../http/sha256.ts";
import type { Provenance } from "../table/provenance.ts";
import type { Answered } from "./answered.ts";

/** Where the frame of these answers came from. */
export async function provenanceFor(
  { operation, query, connection, answers, url }: Answered,
): Promise<Provenance> {
  const digests = answers.map((answer) => answer.sha256);
  const times = answers.map((answer) => answer.retrieved_at.getTime());
  const fresh = answers.find((answer) => answer.source !== "cache");
  return {
    operation,
    source: fresh?.source ?? answers[0]?.source ?? connection.target,
    url: answers[0]?.url ?? url ?? connection.baseUrl,
    query: structuredClone(query) as Record<string, unknown>,
    retrieved_at: times.length === 0 ? new Date() : new Date(Math.max(...times)),
    requests: answers.length,
    renamed: answers.flatMap((answer) => answer.renamed),
    sha256: digests.length === 1
      ? digests[0]!
      : await sha256(new TextEncoder().encode(digests.join(""))),
  };
}
