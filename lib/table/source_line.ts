import type { Annotation } from "./annotation.ts";

const SOURCES = { service: "live", cache: "from the cache", sample: "SAMPLE DATA" };

/** One line that says where a frame came from, and how many entities were not found. */
export function sourceLine({ provenance, errors }: Annotation): string {
  const { operation, source, url, retrieved_at, requests, renamed } = provenance;
  const time = retrieved_at.toISOString().replace(/\.\d+Z$/, "Z");
  const facts = [operation, SOURCES[source], source === "sample" ? null : new URL(url).host, time];
  if (requests > 1) facts.push(`${requests} requests`);
  if (renamed.length > 0) facts.push(`${renamed.length} renamed`);
  if (errors.height > 0) {
    const count = errors.height === 1 ? "1 entity error" : `${errors.height} entity errors`;
    facts.push(`${count}: see errorsOf(frame)`);
  }
  return facts.filter((fact) => fact !== null).join(" · ");
}
