import { deepStrictEqual, ok } from "node:assert/strict";
import { seededRandom } from "../../service/seeded_random.ts";
import { inFolder } from "../../in_folder.ts";

const MOD = new URL("../../../mod.ts", import.meta.url).href;
const KILLS = Number(Deno.env.get("KILLS") ?? 8);

/** A program that writes forever, and after it is started with an argument, once. */
const PROGRAM = `import * as cf from "${MOD}";
const once = Deno.args[0] === "once";
const rows = Array.from({ length: 20_000 }, (_, row) => row);
const frame = cf.pl.DataFrame({ place: rows.map((row) => "p" + row), fees: rows });
let fees = 0;
const fetch = () => Promise.resolve(Response.json({
  data: rows.slice(0, 2_000).map((row) => ({ data_id: "a" + row, metrics: { fees: once ? 0 : fees++ } })),
}));
const connection = cf.connect({ baseUrl: "https://metrics.example.test", token: "t0ken", fetch,
  requestsPerMinute: Infinity, lock: { file: "data.lock", update: true }, cache: { dir: "answers", maxAge: 0 } });
console.log("started");
for (let day = 1; day === 1 || !once; day++) {
  await cf.save(frame, "fees.csv", { force: true });
  const end = "2025-01-" + String(day % 28 + 1).padStart(2, "0");
  await cf.metricBreakdown({ metric_ids: ["fees"], group_by: "chains", start: "2025-01-01", end }, connection);
  cf.lockReport();
}`;

async function started(folder: string, ...args: string[]) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--quiet", "program.ts", ...args],
    cwd: folder,
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  reader.releaseLock();
  return child;
}

function filesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesIn(`${folder}/${name}`) : [`${folder}/${name}`]
  );
}

Deno.test("kills of save, lock and cache harm no file, and the next run removes what they left two days before", () =>
  inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/program.ts`, PROGRAM);
    const random = seededRandom(69);
    for (let kill = 0; kill < KILLS; kill++) {
      const child = await started(folder);
      await new Promise((resolve) => setTimeout(resolve, 30 + random() * 400));
      child.kill("SIGKILL");
      await child.status;
      await child.stdout.cancel();
      const csv = await Deno.readTextFile(`${folder}/fees.csv`).catch(() => null);
      if (csv !== null) deepStrictEqual(csv.split("\n").length, 20_002);
      const lock = await Deno.readTextFile(`${folder}/data.lock`).catch(() => null);
      if (lock !== null) ok(JSON.parse(lock).entries.length >= 0);
    }
    const old = new Date(Date.now() - 2 * 86_400_000);
    for (const file of filesIn(folder)) await Deno.utime(file, old, old);
    const child = await started(folder, "once");
    await child.stdout.cancel();
    deepStrictEqual((await child.status).code, 0);
    deepStrictEqual(filesIn(folder).filter((file) => /\.(tmp|part|guard)$/.test(file)), []);
  }));
