import type { Connection } from "../http/connect.ts";
import { ENDPOINTS } from "../schema/endpoints.ts";
import type { ProjectField, ProjectListField } from "../schema/records.ts";
import type { FrameOf } from "../table/polars.ts";
import { fetchFrame } from "./fetch_frame.ts";

/**
 * The query of {@linkcode project}.
 *
 * @category Operations
 */
export interface ProjectQuery {
  /** The project, or several. */
  readonly project_id: string | readonly string[];
}

/**
 * Returns the description of projects: purpose, chains, links and available metrics.
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
  connection?: Connection,
): Promise<FrameOf<Exclude<ProjectField, ProjectListField>, never, ProjectListField>> {
  return await fetchFrame(ENDPOINTS.project, query, connection);
}
