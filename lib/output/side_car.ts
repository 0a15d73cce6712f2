import {
  anything,
  boolean,
  checkOptions,
  integer,
  isObject,
  listOf,
  object,
  oneOf,
  required,
  type Rule,
  type Rules,
  string,
} from "../platform/check_options.ts";
import { readFile } from "../platform/file.ts";
import { shown } from "../platform/terminal.ts";
import { momentIn } from "../schema/grammar.ts";
import { type ColumnPart, describedColumn } from "../schema/dictionary.ts";
import { OPERATIONS } from "../schema/vocabulary.ts";
import { MOST_LEVELS } from "./check_text.ts";
import {
  combinedProvenance,
  type Input,
  MOST_INPUTS,
  type Provenance,
  SOURCES,
} from "../table/track/provenance.ts";

const moment: Rule<Date> = (value, refuse) => {
  const moment = typeof value === "string" ? momentIn(value) : null;
  return moment === null ? refuse("must be a date") : new Date(moment.time);
};

const url: Rule<string> = (value, refuse) =>
  typeof value === "string" && URL.canParse(value) ? value : refuse("must be a URL");

const query: Rule<Record<string, unknown>> = (value, refuse) =>
  isObject(value) && Object.values(value).flat().every((each) => Object(each) !== each)
    ? value
    : refuse("must be an object of texts, numbers and lists");

const dtypes: Rule<Readonly<Record<string, string>>> = (value, refuse) => {
  const isDtype = (each: unknown) =>
    typeof each === "string" && each.split("(").length <= MOST_LEVELS;
  return isObject(value) && Object.values(value).every(isDtype)
    ? value as Record<string, string>
    : refuse("must be an object with the dtype of each column");
};

/** Accepts an object with texts. Null is a text that is not known. */
const texts: Rule<Record<string, string>> = (value, refuse) =>
  isObject(value) && Object.values(value).every((each) => each === null || typeof each === "string")
    ? value as Record<string, string>
    : refuse("must be an object with texts");

/** A column of which another column was made. */
const part: Rule<ColumnPart> = (value, refuse) => {
  const { name, title, unit = null } = Object(value);
  const isText = (each: unknown) => typeof each === "string";
  return isText(name) && isText(title) && (unit === null || isText(unit))
    ? { name, title, unit }
    : refuse("must have a name, a title and a unit");
};

const ROLES = ["id", "name", "time", "value", "note"] as const;
/** The description of a column. */
const COLUMN = {
  role: required(oneOf(ROLES)),
  unit: string,
  title: required(string),
  adds: oneOf(["both", "groups", "none"]),
  meaning: string,
  missing: string,
  window: string,
  from: string,
  of: listOf(part),
  per: oneOf(["day", "period"]),
  first: integer(0),
  summed: string,
  counts: string,
  key: oneOf(["stated", "found"]),
  rest: integer(1),
};
const SIDE_CAR = {
  sha256: required(string),
  rows: integer(0),
  columns: dtypes,
  descriptions: object,
  provenance: anything,
  entity_errors: listOf(texts),
};
/** The rules of the members of each kind of provenance, and the values of members that are missing. */
const KINDS = {
  response: [{
    operation: required(oneOf(OPERATIONS)),
    source: required(oneOf(SOURCES)),
    sample: required(boolean),
    url: required(url),
    query: required(query),
    retrieved_at: required(moment),
    requests: integer(0),
    renamed: listOf(texts),
    sha256: required(string),
    data_through: moment,
    data_since: moment,
    notes: listOf(string),
    steps: listOf(string),
  }, { requests: 1, data_through: null, data_since: null, renamed: [], notes: [], steps: [] }],
  given: [{
    citation: required(string),
    url,
    retrieved_at: moment,
    data_through: moment,
    license: string,
    sample: boolean,
    columns: listOf(string),
    frame_sha256: required(string),
    file: string,
    file_sha256: string,
    notes: listOf(string),
    steps: listOf(string),
  }, {
    url: null,
    retrieved_at: null,
    data_through: null,
    license: null,
    sample: false,
    columns: [],
    file: null,
    file_sha256: null,
    steps: [],
  }],
  unknown: [
    { file: string, file_sha256: string, notes: listOf(string), steps: listOf(string) },
    { file: null, file_sha256: null, sample: false, steps: [] },
  ],
} as const;

/**
 * Reads and checks the side-car of a file. Returns null if the file has no side-car. Unknown members are left out. If a
 * process ended while it replaced the file, the side-car also has the record of the earlier file: `digest` chooses.
 */
export async function sideCarOf(path: string, digest: string) {
  const beside = `${path}.provenance.json`;
  const bytes = await readFile(beside);
  if (bytes === null) return null;
  const error = (message: string) => new RangeError(`openFrame: ${shown(beside)}: ${message}`);
  /** Checks the members of an object. Null counts as not given. */
  const checked = <Given extends Rules>(value: unknown, rules: Given, place: string) => {
    if (!isObject(value)) {
      throw error(`${place || "side-car"}: must be an object; got ${shown(value)}`);
    }
    const given = Object.keys(rules).filter((name) => Object.hasOwn(value, name))
      .map((name) => [name, value[name] ?? undefined]);
    const prefix = place === "" ? "" : `${place}.`;
    return checkOptions(Object.fromEntries(given), rules, { prefix, error });
  };
  const rule = required(oneOf(["response", "given", "unknown", "combined"] as const));
  const kindIn = (value: unknown, place: string) => checked(value, { kind: rule }, place).kind;
  const inputIn = (value: unknown, place: string): Input => {
    const kind = kindIn(value, place);
    if (kind === "combined") throw error(`${place}: must be one input; got several`);
    const [rules, none] = KINDS[kind];
    return { kind, ...none, ...checked(value, rules, place) } as Input;
  };
  const provenanceIn = (value: unknown, place: string): Provenance => {
    if (kindIn(value, place) !== "combined") return inputIn(value, place);
    const { inputs, steps = [] } = checked(
      value,
      { inputs: required(listOf(anything)), steps: listOf(string) },
      place,
    );
    if (inputs.length > MOST_INPUTS) {
      throw error(`${place}.inputs: must be at most ${MOST_INPUTS}; got ${inputs.length}`);
    }
    return combinedProvenance(
      inputs.map((each, at) => inputIn(each, `${place}.inputs[${at}]`)),
      steps,
    );
  };

  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw error("must be JSON");
  }
  const { sha256, before } = Object(json) as {
    sha256?: unknown;
    before?: { sha256?: unknown } | null;
  };
  const { provenance, entity_errors = [], descriptions = {}, ...form } = checked(
    // Files with the same bytes can have different records, of which the new one counts.
    sha256 !== digest && before?.sha256 === digest ? before : json,
    SIDE_CAR,
    "",
  );
  const described = Object.entries(descriptions).map(([name, value]) =>
    [
      name,
      value === null
        ? undefined
        : describedColumn(name, checked(value, COLUMN, `descriptions.${name}`)),
    ] as const
  );
  return {
    ...form,
    described,
    provenance: provenance === undefined ? null : provenanceIn(provenance, "provenance"),
    entity_errors,
  };
}
