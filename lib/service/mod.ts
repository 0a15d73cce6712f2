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
  type Service,
  type ServiceOptions,
} from "./create_service.ts";
export { FactsError } from "./facts/fact_layout.ts";
export { type SampleOptions, writeSample } from "./sample/sample.ts";
export { listen, type Listener, type ListenOptions } from "./listen.ts";
