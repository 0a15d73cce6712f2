import { ChainframeError } from "./chainframe_error.ts";

/** A connection cannot be made of these options and this environment. Nothing was sent. */
export class ConfigurationError extends ChainframeError {}
