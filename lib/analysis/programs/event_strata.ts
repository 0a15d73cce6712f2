import { isObject, type Rule } from "../../platform/check_options.ts";
import { listed } from "../../platform/terminal.ts";
import { dtypeNames, isText } from "../../table/columns/dtypes.ts";
import type { DataFrame } from "../../table/columns/polars.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { logGammaRise } from "../distributions.ts";
import { refuse } from "./event_design.ts";
import { type ById, valuesById } from "./starts.ts";
import type { Study } from "./study_panel.ts";

/** Participants who share a value are noted if their probability, times the number of values, is at most this. */
const UNLIKELY = 0.05;

/** Accepts the name of a column, or texts by id, as an object or as a frame. */
export const strataRule: Rule<string | ById<unknown>> = (value, refuse) =>
  typeof value === "string" || isObject(value)
    ? value as string | ById<unknown>
    : refuse('must be a column, such as "market_sector_id", or texts by id');

/** Returns the distinct pairs of an entity and a text of a column. */
function pairsOf(frame: DataFrame, entity: string, name: string): DataFrame {
  return frame.select(entity, name).dropNulls()
    .unique({ maintainOrder: true });
}

/** Returns the stratum, or the cluster, of each entity. Null means none. */
export function strataOf(
  given: string | ById<unknown>,
  option: "within" | "cluster",
  { entity, ids, frame }: Study,
): (string | null)[] {
  const fn = `eventStudy: ${option}`;
  if (typeof given === "string") {
    requireColumns(frame, { fn, source: "a frame of entities over time", columns: [given] });
  }
  const source = typeof given === "string" ? pairsOf(frame, entity, given) : given;
  const texts = new Map(valuesById(source, { fn, entity }));
  const found = ids.map((id) => texts.get(id) ?? null);
  const without = ids.filter((_, at) => found[at] === null);
  if (option === "cluster" && without.length > 0) {
    refuse(`cluster: needs a value for each ${entity}; none for ${listed(without)}`);
  }
  return found.map((text) => text === null ? null : String(text));
}

/**
 * Returns the notice that at least half of the participants share a value of a column of texts, if this is unlikely by
 * chance: at most .05, by the hypergeometric distribution times the number of values.
 */
export function sharedBy(
  { entity, ids, frame }: Pick<Study, "entity" | "ids" | "frame">,
  treated: ReadonlySet<string>,
  within: unknown,
): string | undefined {
  const choose = (n: number, k: number) =>
    k > n ? -Infinity : logGammaRise(n - k + 1, k) - logGammaRise(1, k);
  const dtypes = dtypeNames(frame);
  const [all, drawn] = [ids.length, treated.size];
  for (const [at, name] of frame.columns.entries()) {
    if (name === entity || name === within || !isText(dtypes[at]!)) continue;
    const pairs = pairsOf(frame, entity, name);
    if (pairs.getColumn(entity).nUnique() < pairs.height) continue;
    const groups = Map.groupBy(pairs.rows() as [string, string][], ([, value]) => value);
    for (const [value, group] of groups) {
      const marked = group.length;
      const hits = group.filter(([id]) => treated.has(id)).length;
      let chance = 0;
      for (let hit = hits; hit <= Math.min(drawn, marked); hit++) {
        chance += Math.exp(
          choose(marked, hit) + choose(all - marked, drawn - hit) - choose(all, drawn),
        );
      }
      if (2 * hits < drawn || chance * groups.size > UNLIKELY) continue;
      return `${hits} of ${drawn} participants are in ${value}, ${marked - hits} of ` +
        `${all - drawn} controls: what happened to ${value} counts as an effect; see \`within\``;
    }
  }
  return undefined;
}
