import { ConfigurationError, QueryError } from "../../mod.ts";
import { UsageError } from "./usage_error.ts";

const ASKED_WRONGLY = [UsageError, QueryError, ConfigurationError, Deno.errors.AlreadyExists];

/** The exit code of an error: 2 when the script was asked wrongly, 1 when the service or the data said no. */
export function exitCodeOf(error: unknown): number {
  return ASKED_WRONGLY.some((wrong) => error instanceof wrong) ? 2 : 1;
}
