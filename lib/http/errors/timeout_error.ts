import { ChainframeError } from "./chainframe_error.ts";

/** An answer did not arrive in time. */
export class TimeoutError extends ChainframeError {}
