import assert from "node:assert/strict";
import { join } from "node:path";
import { environmentOf } from "../../lib/http/environment.ts";
import { connect, settingsOf } from "../../lib/http/connect.ts";
import { hearing } from "./hearing.ts";
import { withEnvironment } from "./with_environment.ts";

const FILE = "CHAINFRAME_BASE_URL=https://file.example\nCHAINFRAME_TOKEN='file-token'\nOTHER=x\n";

/** Runs code in a new folder `project/inner`, the first of which has a `deno.json` if asked for. */
async function inFolder(
  { project, inner, denoJson }: { project?: string; inner?: string; denoJson: boolean },
  code: () => void | Promise<void>,
): Promise<void> {
  const root = await Deno.realPath(await Deno.makeTempDir());
  const before = Deno.cwd();
  try {
    await Deno.mkdir(join(root, "project/inner"), { recursive: true });
    if (denoJson) await Deno.writeTextFile(join(root, "project/deno.json"), "{}");
    if (project !== undefined) await Deno.writeTextFile(join(root, "project/.env"), project);
    if (inner !== undefined) await Deno.writeTextFile(join(root, "project/inner/.env"), inner);
    Deno.chdir(join(root, "project/inner"));
    await withEnvironment({}, code);
  } finally {
    Deno.chdir(before);
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test("connect reads .env up to the nearest deno.json, and names the file", async () => {
  await inFolder({ project: FILE, denoJson: true }, async () => {
    const told = await hearing(() => {
      const { baseUrl, token } = settingsOf(connect());
      assert.deepEqual([baseUrl, token()], ["https://file.example", "file-token"]);
      return Promise.resolve();
    });
    assert.equal(told.length, 1);
    assert.match(told[0]!, /^chainframe: address and token come from .*project\/\.env$/);
    assert.equal(Deno.env.get("CHAINFRAME_TOKEN"), undefined);
    assert.equal(Deno.env.get("OTHER"), undefined);
  });
});

Deno.test("connect reads only the current folder's .env if no folder has a deno.json", async () => {
  await inFolder({ project: FILE, denoJson: false }, () => {
    assert.equal(environmentOf(".env").length, 1);
  });
  await inFolder({ inner: FILE, denoJson: false }, () => {
    assert.equal(environmentOf(".env").length, 2);
  });
});

Deno.test("connect with envFile false reads no file, and with a path that file", async () => {
  await inFolder({ project: FILE, inner: "CHAINFRAME_TOKEN=inner", denoJson: true }, async () => {
    assert.equal(connect({ envFile: false }).target, "sample");
    await hearing(() => {
      assert.equal(connect({ envFile: "../.env" }).baseUrl, "https://file.example");
      return Promise.resolve();
    });
    assert.throws(() => connect(), /CHAINFRAME_TOKEN in .*inner\/\.env is set but CHAINFRAME_BASE/);
  });
});

Deno.test("address and token never come from two sources", async () => {
  await inFolder({ inner: "CHAINFRAME_BASE_URL=https://foreign.example", denoJson: true }, () => {
    Deno.env.set("CHAINFRAME_TOKEN", "my-token");
    assert.throws(
      () => connect(),
      /^ConfigurationError: CHAINFRAME_TOKEN is set but CHAINFRAME_BASE_URL is not/,
    );
    assert.throws(
      () => connect({ token: "mine" }),
      /^ConfigurationError: token is set but baseUrl/,
    );
    Deno.env.delete("CHAINFRAME_TOKEN");
  });
});

Deno.test("a .env file that may not be read without a prompt is not read", async () => {
  await inFolder({ inner: FILE, denoJson: true }, async () => {
    const script = new URL("../../lib/http/environment.ts", import.meta.url).href;
    const code = `import { environmentOf } from ${JSON.stringify(script)};
console.log(environmentOf(".env").length);`;
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-check", code],
      stdin: "null",
      env: { DENO_NO_PROMPT: "1" },
    }).output();
    // deno eval grants all permissions: here the file is read.
    assert.equal(new TextDecoder().decode(stdout).trim(), "2");
    await Deno.writeTextFile("script.ts", code);
    const run = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-check", "--no-prompt", `--allow-env`, "script.ts"],
      stdin: "null",
    }).output();
    assert.equal(new TextDecoder().decode(run.stdout).trim(), "1");
  });
});
