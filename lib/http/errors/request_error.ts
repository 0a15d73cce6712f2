import { ChainframeError } from "./chainframe_error.ts";

/** The service refused the request (another 4xx); the message is the service's own. */
export class RequestError extends ChainframeError {}
