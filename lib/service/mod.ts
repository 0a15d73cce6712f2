/**
 * The reference service: a function from Request to Response. It serves the six operations of the
 * interface from sample data, or from facts of your own.
 *
 * @module
 */
import "../platform/node.ts";

export { buildData } from "./build_data.ts";
export { ClusterError } from "./cluster/clickhouse.ts";
export { createService, type Service, type ServiceOptions } from "./create_service.ts";
export { FactsError } from "./facts/fact_layout.ts";
export { writeSample } from "./sample/sample.ts";
export { listen, type Listener } from "./listen.ts";
