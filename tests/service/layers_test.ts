import { deepStrictEqual as equal } from "node:assert/strict";
import { dirname, join, normalize } from "node:path";

const SERVICE = new URL("../../lib/service/", import.meta.url).pathname;

/** The layers of the service, lowest first: each may import those before it. */
const LAYERS = [
  "engine",
  "facts",
  "datasets",
  "cluster",
  "sample",
  "query",
  "snapshot",
  "web",
  "entry",
];

function layerOf(path: string): string {
  const [layer] = path.split("/") as [string];
  if (!layer.endsWith(".ts")) return layer;
  return layer === "snapshot.ts" ? "snapshot" : "entry";
}

Deno.test("no folder of the service imports a higher layer", async () => {
  const wrong: string[] = [];
  const seen = new Set<string>();
  for (const folder of ["", ...LAYERS.slice(0, 6), "web"]) {
    for (const { name, isFile } of Deno.readDirSync(SERVICE + folder)) {
      if (!isFile) continue;
      const path = join(folder, name);
      seen.add(layerOf(path));
      for (
        const [, to] of (await Deno.readTextFile(SERVICE + path)).matchAll(/from "(\.[^"]+)"/g)
      ) {
        const target = normalize(join(dirname(path), to!));
        if (target.startsWith("..")) continue;
        if (LAYERS.indexOf(layerOf(target)) > LAYERS.indexOf(layerOf(path))) {
          wrong.push(`${path} imports ${target}`);
        }
      }
    }
  }
  equal(wrong, []);
  equal([...seen].sort(), [...LAYERS].sort());
});
