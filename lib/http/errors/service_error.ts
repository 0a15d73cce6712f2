import { ChainframeError } from "./chainframe_error.ts";

/** The service failed (5xx). */
export class ServiceError extends ChainframeError {}
