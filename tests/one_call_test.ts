import { deepStrictEqual, ok } from "node:assert/strict";
import { Session } from "node:inspector/promises";
import { blockchainComparison, connect } from "../mod.ts";

const MOST_FILES = 32;

interface Covered {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly count: number }[];
  }[];
}

/** The files of lib of which a named function runs during a call. */
async function filesOf(call: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await session.post("Profiler.takePreciseCoverage");
    await call();
    const { result } = await session.post("Profiler.takePreciseCoverage") as unknown as {
      result: readonly Covered[];
    };
    const lib = new URL("../lib/", import.meta.url).href;
    return result.filter(({ url, functions }) =>
      url.startsWith(lib) &&
      functions.some(({ functionName, ranges }) => functionName !== "" && ranges[0]!.count > 0)
    ).map(({ url }) => url.slice(lib.length)).sort();
  } finally {
    session.disconnect();
  }
}

Deno.test("one blockchainComparison of a live service runs at most 32 files of lib, none of the service", async () => {
  const data = [{ chain_id: "a", chain_name: "A", ecosystem_tvl_latest: 1 }];
  const server = Deno.serve({ port: 0, onListen() {} }, () => Response.json({ data }));
  try {
    const baseUrl = `http://127.0.0.1:${server.addr.port}`;
    const files = await filesOf(() =>
      blockchainComparison({ limit: 3 }, connect({ baseUrl, token: "t0ken", envFile: false }))
    );
    ok(files.includes("operations/blockchain_comparison.ts"), "the coverage is read");
    ok(files.includes("http/send.ts"), "a request is sent");
    ok(files.length <= MOST_FILES, `${files.length} files: ${files.join(" ")}`);
    deepStrictEqual(files.filter((file) => /^(service|chart|output|analysis)\//.test(file)), []);
  } finally {
    await server.shutdown();
  }
});
