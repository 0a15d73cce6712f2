import { createHash } from "node:crypto";
import config from "../../../deno.json" with { type: "json" };

const ROOT = new URL("../../../", import.meta.url);

/** Returns what `deno publish` would publish: the paths, and the warnings about the code. */
export async function dryRun(): Promise<{ paths: string[]; report: string }> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["publish", "--dry-run", "--allow-dirty"],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  const report = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  if (!success) throw new Error(report);
  const paths = [...report.matchAll(/^ +(file:\/\/\S+) \([\d.]+K?M?B\)$/gm)]
    .map(([, url]) => decodeURIComponent(url!.slice(ROOT.href.length)));
  return { paths: paths.sort(), report };
}

/** The packed files on loopback, as the registry of JSR packages serves them. */
export interface LoopbackRegistry {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves files of the project by the protocol of JSR: metadata with digests, then the files. */
export async function loopbackRegistry(paths: readonly string[]): Promise<LoopbackRegistry> {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const path of paths) files.set(`/${path}`, await Deno.readFile(new URL(path, ROOT)));
  const manifest = Object.fromEntries(
    [...files].map(([path, bytes]) => [path, {
      size: bytes.length,
      checksum: `sha256-${createHash("sha256").update(bytes).digest("hex")}`,
    }]),
  );
  const base = `/${config.name}`;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === `${base}/meta.json`) {
      const [scope, name] = config.name.slice(1).split("/");
      return Response.json({
        scope,
        name,
        latest: config.version,
        versions: { [config.version]: {} },
      });
    }
    if (pathname === `${base}/${config.version}_meta.json`) {
      return Response.json({ manifest, exports: config.exports });
    }
    const bytes = files.get(pathname.slice(`${base}/${config.version}`.length));
    if (bytes === undefined) return new Response("not found", { status: 404 });
    const type = pathname.endsWith(".ts") ? "text/typescript" : "application/json";
    return new Response(bytes, { headers: { "content-type": type } });
  });
  return { url: `http://127.0.0.1:${server.addr.port}/`, close: () => server.shutdown() };
}
