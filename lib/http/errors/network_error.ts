import { ChainframeError } from "./chainframe_error.ts";

/** The connection could not be made, or broke. */
export class NetworkError extends ChainframeError {}
