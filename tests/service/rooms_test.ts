import { deepStrictEqual as equal } from "node:assert/strict";
import { dirname, join, normalize } from "node:path";

const SERVICE = new URL("../../lib/service/", import.meta.url).pathname;

/** The rooms of the service, from the ground up: each may import those before it. */
const ROOMS = [
  "engine",
  "facts",
  "datasets",
  "cluster",
  "sample",
  "query",
  "snapshot",
  "web",
  "door",
];

function roomOf(path: string): string {
  const [room] = path.split("/") as [string];
  if (!room.endsWith(".ts")) return room;
  return room === "snapshot.ts" ? "snapshot" : "door";
}

Deno.test("no folder of the service imports a higher layer", async () => {
  const wrong: string[] = [];
  const seen = new Set<string>();
  for (const folder of ["", ...ROOMS.slice(0, 6), "web"]) {
    for (const { name, isFile } of Deno.readDirSync(SERVICE + folder)) {
      if (!isFile) continue;
      const path = join(folder, name);
      seen.add(roomOf(path));
      for (
        const [, to] of (await Deno.readTextFile(SERVICE + path)).matchAll(/from "(\.[^"]+)"/g)
      ) {
        const target = normalize(join(dirname(path), to!));
        if (target.startsWith("..")) continue;
        if (ROOMS.indexOf(roomOf(target)) > ROOMS.indexOf(roomOf(path))) {
          wrong.push(`${path} imports ${target}`);
        }
      }
    }
  }
  equal(wrong, []);
  equal([...seen].sort(), [...ROOMS].sort());
});
