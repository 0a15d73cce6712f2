import { deepStrictEqual, ok } from "node:assert/strict";

const ROOT = new URL("../../../", import.meta.url).pathname;

Deno.test("no query reads a file or an address, with any of 67 tricks in 21 spellings", async () => {
  const folder = await Deno.makeTempDir();
  const seen: string[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    ({ url }) => {
      seen.push(url);
      return new Response("password\nhunter2\n");
    },
  );
  try {
    const file = `${folder}/secret.csv`;
    await Deno.writeTextFile(file, "password\nhunter2\n");
    const info = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
    const { denoDir } = JSON.parse(new TextDecoder().decode(info.stdout));
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--no-prompt", "--allow-ffi", "--allow-sys", `--allow-read=${ROOT},${denoDir}`],
        new URL("sql_attacks.ts", import.meta.url).pathname,
        file,
        `http://127.0.0.1:${server.addr.port}/secret.csv`,
      ],
      env: { DENO_DIR: denoDir },
    }).output();
    const text = new TextDecoder();
    ok(stdout.length > 0, text.decode(stderr));
    const { tried, control, through } = JSON.parse(text.decode(stdout));
    deepStrictEqual({ control, through, seen }, { control: 2, through: [], seen: [] });
    deepStrictEqual(tried, 67 * 21);
  } finally {
    await server.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
});
