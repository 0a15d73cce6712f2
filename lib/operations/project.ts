import type { Connection } from "../http/settings.ts";
import { NotFoundError } from "../http/errors.ts";
import type { Question } from "../http/question.ts";
import { PROJECT_RECORD, type ProjectField, type ProjectListField } from "../schema/records.ts";
import type { FrameOf } from "../table/polars.ts";
import { defaultConnection } from "../http/connect.ts";
import type { Refuse } from "../platform/check_options.ts";
import { answering, checkQuery, neededIdList } from "./query.ts";

/**
 * The query of {@linkcode project}.
 *
 * @category Operations
 */
export interface ProjectQuery {
  /** The project, or several. */
  readonly project_id: string | readonly string[];
}

function oneOrSeveral(value: unknown, refuse: Refuse): string[] {
  const ids = neededIdList(value, refuse);
  // A URL takes these segments out of its path, and would ask another question.
  if (ids.some((each) => each === "." || each === "..")) refuse("must not be . or ..");
  return ids;
}

const RULES = { project_id: oneOrSeveral };

function questionAbout(id: string): Question {
  const path = `/v2/projects/${encodeURIComponent(id)}`;
  return { operation: "project", method: "GET", path, params: {}, body: null };
}

function projectRow(data: unknown): readonly unknown[] | undefined {
  return typeof data === "object" && data !== null && !Array.isArray(data) ? [data] : undefined;
}

/** The answers about projects, and each 404 as the entity error that the other operations send. */
async function askAbout(ids: readonly string[], connection: Connection) {
  const { askEach } = await answering();
  const outcomes = await askEach(ids.map(questionAbout), connection);
  const answers = outcomes.filter((outcome) => "data" in outcome);
  const cause = outcomes.find((outcome) => outcome instanceof NotFoundError);
  return {
    answers,
    errors: ids.filter((_, index) => outcomes[index] instanceof NotFoundError)
      .map((value) => ({ code: "NOT_FOUND", field: "project_id", value })),
    ...(cause === undefined ? {} : { cause }),
    // Some gateways answer 404 in JSON to every path that they do not know; the embedded service does not.
    ...(answers.length > 0 || connection.target === "sample"
      ? {}
      : { hint: `; none of them is there, so the address may be wrong: ${connection.baseUrl}` }),
  };
}

/**
 * What is known about a project: what it does, where it runs, and which metrics it has.
 *
 * Columns: `name`, `project_id`, `symbol` (String); `description`, `market_sectors` (String of JSON
 * text: the interface does not promise their shape); `chains` (List(String)); `links`
 * (List(Struct(summary, url))); `aggregate_by_options`, `metric_availability` (String, JSON text where
 * the service sent an object); `metric_definitions`, `metric_sources`
 * (List(Struct(metric_id, definition))); where the service sends more in these lists, `links_extra` and
 * the like hold it as JSON text. One row per project. null means that the service has no value.
 *
 * A project that does not exist is no row, and a row of `errorsOf`.
 *
 * @example Where does a project run?
 * ```ts
 * import { project } from "@chainframe/chainframe";
 *
 * const one = await project({ project_id: "tidewater" });
 * console.log(one.select("name", "chains").explode("chains").toString());
 * ```
 *
 * @throws {QueryError} for a bad argument, before anything is sent.
 * @throws {NotFoundError} for a project that does not exist, when the connection says
 * `onMissing: "throw"`.
 * @throws {ResponseError} for an answer that is not of the promised shape.
 * @throws {ChainframeError} of another class for a failed request.
 * @category Operations
 */
export async function project(
  query: ProjectQuery,
  connection: Connection = defaultConnection(),
): Promise<FrameOf<Exclude<ProjectField, ProjectListField>, never, ProjectListField>> {
  const operation = "project";
  const ids = checkQuery(operation, query, RULES, ["project_id"]).project_id;
  const given = structuredClone(query);
  const { answeredFrame, frameFromRows } = await answering();
  return await answeredFrame(
    { operation, query: given, connection, ...await askAbout(ids, connection) },
    projectRow,
    (rows, reader) => frameFromRows(rows, PROJECT_RECORD, reader),
  );
}
