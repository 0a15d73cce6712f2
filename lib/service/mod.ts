/**
 * The reference service: the six operations of the interface as a function from Request to
 * Response, over sample data or facts of your own.
 *
 * @module
 */
export { createService, type Service, type ServiceOptions } from "./create_service.ts";
export type { RateLimit } from "./web/rate_limit.ts";
