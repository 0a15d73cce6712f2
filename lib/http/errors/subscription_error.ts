import { ChainframeError } from "./chainframe_error.ts";

/** The token's plan does not cover the request (402). */
export class SubscriptionError extends ChainframeError {}
