import { ChainframeError } from "./chainframe_error.ts";

/** The service does not know the token, or does not let it in (401, 403). */
export class AuthenticationError extends ChainframeError {}
