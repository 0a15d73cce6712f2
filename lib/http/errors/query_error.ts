import { ChainframeError } from "./chainframe_error.ts";

/** A bad argument: the message names it, shows the value and says what is allowed. No request was sent. */
export class QueryError extends ChainframeError {}
