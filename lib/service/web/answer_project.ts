import { readProject } from "../query/read_project.ts";
import type { Ctx } from "./env.ts";
import { failure } from "./failure.ts";
import { sendNew } from "./send.ts";

/** Answers the project operation; a project that was renamed is redirected to its present id. */
export async function answerProject(c: Ctx, project_id: string): Promise<Response> {
  const answer = await readProject(c.env.snapshot.database, project_id);
  if (answer === null) {
    throw failure(404, "NOT_FOUND", `There is no project ${JSON.stringify(project_id)}.`, {
      field: "project_id",
      value: project_id,
    });
  }
  if ("renamed_to" in answer) {
    // Relative to the request, so that it holds under whatever path the service is mounted.
    const location = `./${encodeURIComponent(answer.renamed_to)}`;
    return new Response(null, { status: 308, headers: { location } });
  }
  return sendNew(c, { data: answer.project }, 1);
}
