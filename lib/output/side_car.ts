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
import { describedColumn } from "../schema/dictionary.ts";
import { OPERATIONS } from "../schema/vocabulary.ts";
import { MOST_LEVELS } from "./check_text.ts";
import {
  combinedProvenance,
  flatInputs,
  type Input,
  MOST_INPUTS,
  type Provenance,
  SOURCES,
} from "../table/track/provenance.ts";

const moment: Rule<Date> = (value, refuse) => {
  const date = new Date(typeof value === "string" ? value : NaN);
  return Number.isNaN(date.getTime()) ? refuse("must be a date") : date;
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
  first: integer(0),
  rest: integer(1),
};
const SIDE_CAR = {
  sha256: required(string),
  rows: integer(0),
  columns: dtypes,
  descriptions: object,
  provenance: anything,
  entity_errors: listOf(anything),
};
const RESPONSE = {
  operation: required(oneOf(OPERATIONS)),
  source: required(oneOf(SOURCES)),
  sample: boolean,
  url: required(url),
  query: required(query),
  retrieved_at: required(moment),
  requests: integer(0),
  renamed: listOf(anything),
  sha256: required(string),
  data_through: moment,
  data_since: moment,
  notes: listOf(string),
  steps: listOf(string),
};
const GIVEN = {
  citation: required(string),
  url,
  retrieved_at: moment,
  license: string,
  sample: boolean,
  columns: listOf(string),
  frame_sha256: required(string),
  file: string,
  file_sha256: string,
  steps: listOf(string),
};
const UNKNOWN = { file: string, file_sha256: string, steps: listOf(string) };
const COMBINED = { inputs: required(listOf(anything)), steps: listOf(string) };
const KINDS = ["response", "given", "unknown", "combined"] as const;
const RENAMED = { from: required(string), to: required(string) };
const ENTITY_ERROR = { code: string, field: string, value: string };

/** What the side-car of a file records. */
export type SideCar = NonNullable<Awaited<ReturnType<typeof sideCarOf>>>;

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
  const inputIn = (value: unknown, place: string): Input => {
    const { kind = "response" } = checked(value, { kind: oneOf(KINDS) }, place);
    if (kind === "given") {
      const none = {
        url: null,
        retrieved_at: null,
        license: null,
        sample: false,
        columns: [],
        file: null,
        file_sha256: null,
        steps: [],
      };
      return { kind, ...none, ...checked(value, GIVEN, place) };
    }
    if (kind === "unknown") {
      const none = { file: null, file_sha256: null, sample: false, steps: [] };
      return { kind, ...none, ...checked(value, UNKNOWN, place) };
    }
    const { renamed = [], ...members } = checked(value, RESPONSE, place);
    return {
      kind: "response",
      // Side-cars of version 0.2.0 do not have this member.
      sample: members.source === "sample",
      requests: 1,
      data_through: null,
      data_since: null,
      notes: [],
      steps: [],
      ...members,
      renamed: renamed.map((each, at) => checked(each, RENAMED, `${place}.renamed[${at}]`)),
    };
  };
  const provenanceIn = (value: unknown, place: string): Provenance => {
    const inner = (each: unknown) =>
      isObject(each) && Array.isArray(each.inputs) ? each.inputs as unknown[] : [];
    const inputs = inner(value);
    if (inputs.length === 0) return inputIn(value, place);
    // Side-cars of version 0.3.0 can have inputs of inputs, and do not have the member `kind`.
    const flat = flatInputs(inputs, inner);
    if (flat.length > MOST_INPUTS) {
      throw error(`${place}.inputs: must be at most ${MOST_INPUTS}; got ${flat.length}`);
    }
    const { steps = [] } = checked(value, COMBINED, place);
    return combinedProvenance(
      flat.map((each, at) => inputIn(each, `${place}.inputs[${at}]`)),
      steps,
    );
  };

  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw error("must be JSON");
  }
  const { before } = Object(json) as { before?: { sha256?: unknown } | null };
  const { provenance, entity_errors = [], descriptions = {}, ...form } = checked(
    before?.sha256 === digest ? before : json,
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
    entity_errors: entity_errors.map((each, at) =>
      checked(each, ENTITY_ERROR, `entity_errors[${at}]`)
    ),
  };
}
