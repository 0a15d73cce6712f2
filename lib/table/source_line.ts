import type { Annotation, Provenance } from "./provenance.ts";

const SOURCES = { service: "live", cache: "from the cache", sample: "SAMPLE DATA" };

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** How fresh a frame is: the last day of its data, or, where the service does not say, when it came. */
function freshness({ data_through, retrieved_at }: Provenance): string {
  if (data_through === null) return retrieved_at.toISOString().replace(/\.\d+Z$/, "Z");
  const month = MONTHS[data_through.getUTCMonth()];
  return `data through ${data_through.getUTCDate()} ${month} ${data_through.getUTCFullYear()}`;
}

/** What was asked; `derived from` it where the frame is no longer the answer itself. */
function originOf({ operation, steps, inputs }: Provenance): string {
  const operations = new Set(inputs.map((input) => input.operation));
  const asked = inputs.length === 0 ? operation : [...operations].join(" + ");
  return steps.length === 0 ? asked : `derived from ${asked}`;
}

/**
 * One line that says where a frame came from, up to which day its data goes, and how many entities were
 * not found.
 */
export function sourceLine({ provenance, errors }: Annotation): string {
  const { source, url, requests, renamed } = provenance;
  const host = source === "sample" ? null : new URL(url).host;
  const facts = [originOf(provenance), SOURCES[source], host, freshness(provenance)];
  if (requests > 1) facts.push(`${requests} requests`);
  if (renamed.length > 0) facts.push(`${renamed.length} renamed`);
  if (errors.height > 0) {
    const count = errors.height === 1 ? "1 entity error" : `${errors.height} entity errors`;
    facts.push(`${count}: see errorsOf(frame)`);
  }
  return facts.filter((fact) => fact !== null).join(" · ");
}
