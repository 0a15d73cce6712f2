import { connect, type Connection } from "../../mod.ts";

/** Returns a connection to the embedded service, whatever the environment says. */
export function sampleConnection(): Connection {
  for (const name of ["CHAINFRAME_BASE_URL", "CHAINFRAME_TOKEN", "CHAINFRAME_CACHE"]) {
    Deno.env.delete(name);
  }
  return connect({ onMissing: "ignore" });
}
