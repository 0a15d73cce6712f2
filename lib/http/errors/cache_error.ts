import { ChainframeError } from "./chainframe_error.ts";

/** The cache was to answer (offline mode), and does not hold the answer. */
export class CacheError extends ChainframeError {}
