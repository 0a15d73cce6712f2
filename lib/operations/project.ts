import type { Connection } from "../http/connect.ts";
import { ENDPOINTS } from "../schema/endpoints.ts";
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
 * Columns: `name`, `project_id`, `symbol` (String); `description`, `market_sectors` (String with JSON text: the
 * interface does not document their shape); `chains` (List(String)); `links` (List(Struct(summary, url)));
 * `aggregate_by_options`, `metric_availability` (String, JSON text where the service sent an object);
 * `metric_definitions`, `metric_sources` (List(Struct(metric_id, definition))); other members of these lists are JSON
 * text in columns such as `links_extra`. One row per project. Null means that the service has no value.
 *
 * A missing project has no row in this frame. `errorsOf` lists it.
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
 * @throws {NotFoundError} for a missing project, with `onMissing: "throw"`.
 * @throws {ResponseError} for a response that does not have the documented shape.
 * @throws {ChainframeError} of another class when a request fails.
 * @category Operations
 */
export async function project(
  query: ProjectQuery,
  connection?: Connection,
): Promise<FrameOf<"project">> {
  return await fetchFrame(ENDPOINTS.project, query, connection);
}
