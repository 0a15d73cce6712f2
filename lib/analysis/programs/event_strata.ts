import type { Rule } from "../../platform/check_options.ts";
import { listed } from "../../platform/terminal.ts";
import { dtypeNames } from "../../table/build/dtypes.ts";
import { type DataFrame, pl } from "../../table/build/polars.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { inGroups } from "../columnar.ts";
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

/** Returns the texts of columns by entity. A text is undefined where an entity has several. */
function textsOf(
  frame: DataFrame,
  entity: string,
  names: readonly string[],
): Map<string, (string | null | undefined)[]> {
  const rows = inGroups(
    frame.filter(pl.col(entity).isNotNull()),
    [entity],
    names.flatMap((name) => [
      pl.col(name).cast(pl.Utf8).dropNulls().first().alias(name),
      pl.col(name).dropNulls().nUnique().alias(`(values of ${name})`),
    ]),
  ).rows() as [unknown, ...unknown[]][];
  return new Map(rows.map(([id, ...values]) => [
    String(id),
    names.map((_, at) =>
      Number(values[2 * at + 1]) > 1 ? undefined : values[2 * at] as string | null
    ),
  ]));
}

/** Reads the stratum, or the cluster, of each entity. */
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
    ? new Map([...textsOf(frame, entity, [given])].map(([id, [text]]) => [id, text]))
    : new Map(valuesById(given, { fn, entity }));
  const several = ids.filter((id) => texts.has(id) && texts.get(id) === undefined);
  if (several.length > 0) {
    refuse(
      `${option}: needs one value of ${given} for each ${entity}; several have ${listed(several)}`,
    );
  }
  const found = ids.map((id) => texts.get(id) ?? null);
  const without = ids.filter((_, at) => found[at] === null);
  if (option === "cluster" && without.length > 0) {
    refuse(`cluster: needs a value for each ${entity}; none for ${listed(without)}`);
  }
  const names = [...new Set(found.filter((text) => text !== null).map(String))];
  const places = new Map(names.map((name, at) => [name, at]));
  return {
    of: Int32Array.from(found, (text) => text === null ? -1 : places.get(String(text))!),
    names,
  };
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
  if (names.length === 0) return undefined;
  const texts = textsOf(frame, entity, names);
  const own = ids.flatMap((id) => texts.has(id) ? [{ id, texts: texts.get(id)! }] : []);
  const drawn = own.filter(({ id }) => treated.has(id)).length;
  for (const at of names.keys()) {
    if (own.some(({ texts }) => texts[at] === undefined)) continue;
    const groups = Map.groupBy(
      own.filter(({ texts }) => texts[at] !== null),
      ({ texts }) => texts[at]!,
    );
    for (const [value, group] of groups) {
      const hits = group.filter(({ id }) => treated.has(id)).length;
      if (2 * hits < drawn) continue;
      const p = chanceOfHits(hits, { drawn, marked: group.length, all: own.length });
      if (p * groups.size > UNLIKELY) continue;
      return `${hits} of ${drawn} participants are in ${value}, ${group.length - hits} of ` +
        `${
          own.length - drawn
        } controls: what happened to ${value} counts as an effect; see \`within\``;
    }
  }
  return undefined;
}
