import { type Connection, settingsOf } from "../../lib/http/connect.ts";
import { fetchAll } from "../../lib/http/fetch_all.ts";
import type { NotFoundError } from "../../lib/http/errors.ts";
import { type ApiRequest, splitRequest } from "../../lib/http/request.ts";
import type { ApiResponse } from "../../lib/http/response.ts";

/** Sends a request, split where it is too long, and throws a 404 as an error. */
export async function ask(request: ApiRequest, connection: Connection): Promise<ApiResponse[]> {
  const { baseUrl, maxUrlLength } = settingsOf(connection);
  const responses = await fetchAll(splitRequest(request, baseUrl, maxUrlLength), connection);
  for (const { notFound } of responses) if (notFound !== null) throw notFound;
  return responses;
}

/** Sends several requests, and returns the error of a 404 in place of its response. */
export async function askEach(
  requests: readonly ApiRequest[],
  connection: Connection,
): Promise<(ApiResponse | NotFoundError)[]> {
  const responses = await fetchAll(requests, connection);
  return responses.map((response) => response.notFound ?? response);
}
