/**
 * The reference service: the six operations of the interface as a function from Request to
 * Response, over sample data or facts of your own.
 *
 * @module
 */
export { buildData, type BuildOptions, type BuildResult } from "./build_data.ts";
export { ClusterError } from "./cluster/clickhouse.ts";
export { type LoadOptions, type LoadResult, loadShards } from "./cluster/load_shards.ts";
export {
  createService,
  type RequestLog,
  type RequestOrigin,
  type Service,
  type ServiceOptions,
} from "./create_service.ts";
export type { Span } from "./datasets/window_value.ts";
export { FactsError } from "./facts/fact_layout.ts";
export { type SampleFormat, type SampleOptions, writeSample } from "./sample/sample.ts";
export type { CorsOrigins } from "./web/cors.ts";
export type { RateLimit } from "./web/access.ts";
export type { WrongTokens } from "./web/wrong_tokens.ts";
export { listen, type Listened, type Listener, type ListenOptions } from "./web/listen.ts";
