import type { Connection } from "../http/connect.ts";
import { ENDPOINTS } from "../schema/endpoints.ts";
import type { FrameOf } from "../table/columns/polars.ts";
import { fetchFrame } from "./fetch_frame.ts";

/**
 * The query of {@linkcode project}.
 *
 * @category Operations
 */
export interface ProjectQuery {
  /** The id of the project, or a list of ids. */
  readonly project_id: string | readonly string[];
}

/**
 * Returns the description of projects: purpose, chains, links and available metrics.
 *
 * Columns: `name`, `project_id`, `symbol` (String); `description`, `market_sectors` (String with JSON text, because the
 * API does not document the shape of these values); `chains` (List(String)); `links` (List(Struct(summary, url)));
 * `aggregate_by_options`, `metric_availability` (String; JSON text if the service sent an object);
 * `metric_definitions`, `metric_sources` (List(Struct(metric_id, definition))). The frame has one row per project. Null
 * means that the service has no value. If an element of `links`, `metric_definitions` or `metric_sources` has further
 * members, they are left out, and a note names them.
 *
 * A missing project has no row in this frame. `errorsOf` returns the missing projects.
 *
 * @example On which chains does a project run?
 * ```ts
 * import { project } from "@chainframe/chainframe";
 *
 * const one = await project({ project_id: "tidewater" });
 * console.log(one.select("name", "chains").explode("chains").toString());
 * ```
 *
 * @throws {QueryError} for a bad argument, before anything is sent.
 * @throws {NotFoundError} for a missing project, if `onMissing` is `"throw"`.
 * @throws {ResponseError} for a response that does not have the documented shape.
 * @throws {ChainframeError} of another class when a request fails.
 * @category Operations
 */
export async function project(
  query: ProjectQuery,
  connection?: Connection,
): Promise<FrameOf<"project">> {
  return await fetchFrame<FrameOf<"project">>(ENDPOINTS.project, query, connection);
}
