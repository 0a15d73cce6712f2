import type { Rule } from "../../platform/check_options.ts";
import { listed } from "../../platform/terminal.ts";
import { dtypeNames } from "../../table/build/dtypes.ts";
import { type DataFrame, pl } from "../../table/build/polars.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { logGammaRise } from "../distributions.ts";
import { refuse, type Strata } from "./event_panel.ts";
import { type ById, valuesById } from "./starts.ts";
import type { Study } from "./study_panel.ts";

/** Participants who share a value are noted if their probability, times the number of values, is at most this. */
const UNLIKELY = 0.05;

/** Accepts the name of a column, or texts by id, as an object or as a frame. */
export const strataRule: Rule<string | ById<unknown>> = (value, refuse) =>
  typeof value === "string" && value !== "" || typeof value === "object" && value !== null &&
      !Array.isArray(value)
    ? value as string | ById<unknown>
    : refuse('must be a column, such as "market_sector_id", or texts by id');

/** Returns the distinct texts of a column by entity. */
function textsOf(frame: DataFrame, entity: string, name: string): Map<string, string[]> {
  const rows = frame.select(
    pl.col(entity).cast(pl.Utf8),
    pl.col(name).cast(pl.Utf8).alias("(text)"),
  )
    .dropNulls().unique({ maintainOrder: true }).rows() as [string, string][];
  const groups = Map.groupBy(rows, ([id]) => id);
  return new Map([...groups].map(([id, own]) => [id, own.map(([, text]) => text)]));
}

/** Returns the stratum, or the cluster, of each entity. Null means none. */
export function strataOf(
  given: string | ById<unknown>,
  { option, study }: { readonly option: "within" | "cluster"; readonly study: Study },
): Strata {
  const { entity, ids, frame } = study;
  const fn = `eventStudy: ${option}`;
  if (typeof given === "string") {
    requireColumns(frame, { fn, source: "a frame of entities over time", columns: [given] });
  }
  const texts = typeof given === "string"
    ? textsOf(frame, entity, given)
    : new Map(valuesById(given, { fn, entity }).map(([id, text]) => [id, [text]]));
  const several = ids.filter((id) => texts.has(id) && texts.get(id)!.length > 1);
  if (several.length > 0) {
    refuse(
      `${option}: needs one value of ${given} for each ${entity}; several have ${listed(several)}`,
    );
  }
  const found = ids.map((id) => texts.get(id)?.[0] ?? null);
  const without = ids.filter((_, at) => found[at] === null);
  if (option === "cluster" && without.length > 0) {
    refuse(`cluster: needs a value for each ${entity}; none for ${listed(without)}`);
  }
  return found.map((text) => text === null ? null : String(text));
}

/** Returns the probability that at least `hits` of `drawn` entities are among `marked` of all (hypergeometric). */
function chanceOfHits(
  hits: number,
  { drawn, marked, all }: { readonly drawn: number; readonly marked: number; readonly all: number },
): number {
  const choose = (n: number, k: number) => logGammaRise(n - k + 1, k) - logGammaRise(1, k);
  let sum = 0;
  for (let hit = hits; hit <= Math.min(drawn, marked); hit++) {
    if (drawn - hit > all - marked) continue;
    sum += Math.exp(choose(marked, hit) + choose(all - marked, drawn - hit) - choose(all, drawn));
  }
  return sum;
}

/**
 * Returns the notice that at least half of the participants share a value of a column of texts, if this is unlikely by
 * chance: at most .05, by the hypergeometric distribution times the number of values.
 */
export function sharedBy(
  { study: { entity, ids, frame }, treated, within }: {
    readonly study: Study;
    readonly treated: ReadonlySet<string>;
    readonly within: unknown;
  },
): string | undefined {
  const dtypes = dtypeNames(frame);
  const names = frame.columns.filter((name, at) =>
    name !== entity && name !== within && /^(Utf8|String|Categorical)$/.test(dtypes[at]!)
  );
  const all = ids.length;
  for (const name of names) {
    const texts = textsOf(frame, entity, name);
    const known = ids.filter((id) => texts.has(id));
    if (known.some((id) => texts.get(id)!.length > 1)) continue;
    const groups = Map.groupBy(known, (id) => texts.get(id)![0]!);
    for (const [value, group] of groups) {
      const [marked, drawn] = [group.length, treated.size];
      const hits = group.filter((id) => treated.has(id)).length;
      const p = chanceOfHits(hits, { drawn, marked, all });
      if (2 * hits < drawn || p * groups.size > UNLIKELY) continue;
      return `${hits} of ${drawn} participants are in ${value}, ${marked - hits} of ` +
        `${all - drawn} controls: what happened to ${value} counts as an effect; see \`within\``;
    }
  }
  return undefined;
}
