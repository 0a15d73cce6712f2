import {
  boolean,
  checkOptions,
  mustBeOneOf,
  oneOf,
  required,
  type Rule,
} from "../../platform/check_options.ts";
import { type Adds, describedColumn } from "../../schema/dictionary.ts";
import { aDay } from "../read/day_rule.ts";
import { dateOfDay } from "../../schema/period.ts";
import { inputName } from "../show/display.ts";
import { frameDigest } from "./frame_digest.ts";
import { columnsOf, setColumns } from "./descriptions.ts";
import { dtypeNames, isText } from "../columns/dtypes.ts";
import { type DataFrame, type Frame, pl } from "../columns/polars.ts";
import { annotate, annotationOf, inputsOf, noteSource } from "./provenance.ts";
import { requireColumns } from "../read/requirements.ts";
import { track } from "./track.ts";

/** The description of a column of own data. */
interface OwnColumn {
  readonly unit?: string;
  readonly title?: string;
  readonly adds?: Adds;
}

const text: Rule<string> = (value, refuse) =>
  typeof value === "string" && value.trim() !== "" ? value : refuse("must be a text");

const url: Rule<string> = (value, refuse) =>
  typeof value === "string" && URL.canParse(value) ? value : refuse("must be a URL");

const COLUMN = { unit: text, title: text, adds: oneOf(["both", "groups", "none"]) };

/** Accepts descriptions of columns of a frame, by name. */
function ownColumns(frame: DataFrame): Rule<Record<string, OwnColumn>> {
  return (value, refuse) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return refuse('must be an object, such as { vc_usd: { unit: "usd", adds: "both" } }');
    }
    for (const [name, column] of Object.entries(value)) {
      if (!frame.columns.includes(name)) return refuse(mustBeOneOf(frame.columns, name));
      const { adds } = checkOptions(column, COLUMN, `withSource: columns.${name}`);
      const isAdded = adds === "both" || adds === "groups";
      if (isAdded && isText(dtypeNames(frame.select(name))[0]!)) {
        return refuse(`${name} is text, which cannot be added: adds must be "none"`);
      }
    }
    return value as Record<string, OwnColumn>;
  };
}

/**
 * States the source of own data, and the units of its columns.
 *
 * Returns a new frame with the rows and columns of the frame. Its provenance has the kind `"given"`, so that captions,
 * files and combinations with other frames name the source. `frame_sha256` of the provenance is the digest of the values.
 *
 * @example Own data beside that of the service
 * ```ts
 * import { blockchainComparison, pl, provenanceOf, withSource } from "@chainframe/chainframe";
 *
 * const mine = withSource(pl.DataFrame({ chain_id: ["alder", "basalt"], vc_usd: [5e6, 2e6] }), {
 *   citation: "VC database, export of 3 June 2026",
 *   columns: { vc_usd: { unit: "usd", title: "Venture capital", adds: "both" } },
 * });
 * const joined = (await blockchainComparison()).join(mine, { on: "chain_id" });
 * console.log(provenanceOf(joined).kind); // "combined"
 * ```
 *
 * @throws {RangeError} when the frame is that of an operation, has a source already, or was made from such frames; for an
 * unknown column, and for an option that is not as described.
 * @category Frames
 */
export function withSource(frame: DataFrame, options: {
  /** The name of the source, as in a list of references. */
  readonly citation: string;
  /**
   * The address of the source.
   *
   * @default {none}
   */
  readonly url?: string;
  /**
   * The day on which the data was retrieved: a Date, or a text such as `2026-06-03`.
   *
   * @default {not stated}
   */
  readonly retrievedAt?: string | Date;
  /**
   * The license of the data.
   *
   * @default {not stated}
   */
  readonly license?: string;
  /**
   * Whether the data is invented.
   *
   * @default {false}
   */
  readonly sample?: boolean;
  /**
   * Columns by name. `unit` is a unit such as `"usd"` or `"fraction"`, or a text of your own; `title` is written on axes;
   * `adds` states over what values can be added: `"both"` (over groups and periods), `"groups"` (over groups only, such as
   * TVL), or `"none"` (users, ratios).
   *
   * @default {no units; values cannot be added}
   */
  readonly columns?: Readonly<
    Record<string, {
      readonly unit?: string;
      readonly title?: string;
      readonly adds?: "both" | "groups" | "none";
    }>
  >;
}): Frame {
  const fn = "withSource";
  requireColumns(frame, { fn, source: "a frame" });
  const before = annotationOf(frame)?.provenance;
  const known = inputsOf(before).find(({ kind }) => kind !== "unknown");
  if (known !== undefined) {
    throw new RangeError(
      `${fn}: the frame already has a source: ${inputName(known)}; ` +
        "state the source of own data before you combine it",
    );
  }
  const rules = {
    citation: required(text),
    url,
    retrievedAt: aDay,
    license: text,
    sample: boolean,
    columns: ownColumns(frame),
  };
  const { citation, sample = false, columns = {}, ...given } = checkOptions(options, rules, fn);
  const own = Object.entries(columns).map(([name, { unit = null, ...rest }]) =>
    [name, describedColumn(name, { role: "value", unit, adds: "none", ...rest })] as const
  );
  const read = before?.kind === "unknown" && before.steps.length === 0 ? before : null;
  const provenance = {
    kind: "given",
    citation,
    url: given.url ?? null,
    retrieved_at: given.retrievedAt === undefined ? null : dateOfDay(given.retrievedAt),
    license: given.license ?? null,
    sample,
    columns: frame.columns.toSorted(),
    frame_sha256: frameDigest(frame),
    file: read?.file ?? null,
    file_sha256: read?.file_sha256 ?? null,
    ...read?.notes !== undefined && { notes: read.notes },
    steps: [],
  } as const;
  const made = track(pl.DataFrame(frame.getColumns()));
  annotate(made, { provenance, errors: pl.DataFrame({}) });
  noteSource(frame, made, options);
  return setColumns(made, new Map([...columnsOf(frame), ...own]));
}
