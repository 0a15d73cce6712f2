import assert from "node:assert/strict";
import { join } from "node:path";
import { environmentOf } from "../../lib/http/environment.ts";
import { connect, settingsOf } from "../../lib/http/connect.ts";
import type { ConnectOptions } from "../../lib/http/settings.ts";
import { blockchainComparison } from "../../lib/operations/blockchain_comparison.ts";
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

Deno.test("connect reads .env up to the nearest deno.json, and names the file", () =>
  inFolder({ project: FILE, denoJson: true }, async () => {
    const told = await hearing(() => {
      const { baseUrl, token } = settingsOf(connect());
      assert.deepEqual([baseUrl, token()], ["https://file.example", "file-token"]);
      return Promise.resolve();
    });
    assert.equal(told.length, 1);
    assert.match(told[0]!, /^chainframe: address and token come from .*project\/\.env$/);
    assert.equal(Deno.env.get("CHAINFRAME_TOKEN"), undefined);
    assert.equal(Deno.env.get("OTHER"), undefined);
  }));

Deno.test("connect reads only the current folder's .env if no folder has a deno.json", async () => {
  await inFolder({ project: FILE, denoJson: false }, () => {
    assert.equal(environmentOf(".env").length, 1);
  });
  await inFolder({ inner: FILE, denoJson: false }, () => {
    assert.equal(environmentOf(".env").length, 2);
  });
});

Deno.test("connect with envFile false reads no file, and with a path that file", () =>
  inFolder({ project: FILE, inner: "CHAINFRAME_TOKEN=inner", denoJson: true }, async () => {
    assert.equal(connect({ envFile: false }).target, "sample");
    await hearing(() => {
      assert.equal(connect({ envFile: "../.env" }).baseUrl, "https://file.example");
      return Promise.resolve();
    });
    assert.throws(() => connect(), /CHAINFRAME_TOKEN in .*inner\/\.env is set but CHAINFRAME_BASE/);
  }));

Deno.test("address and token never come from two sources", () =>
  inFolder({ inner: "CHAINFRAME_BASE_URL=https://foreign.example", denoJson: true }, () => {
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
  }));

const MINE = { CHAINFRAME_BASE_URL: "https://mine.example", CHAINFRAME_TOKEN: "my-token" };
const NOT_USED =
  /^chainframe: CHAINFRAME_CACHE in .*\.env is not used, because address and token do not come/;

Deno.test("a .env file without address and token cannot supply responses of the user's service", async () => {
  const answer = (chain_id: string) => Response.json({ data: [{ chain_id }] });
  await inFolder({ inner: "CHAINFRAME_CACHE=answers\n", denoJson: true }, async () => {
    const { baseUrl, token } = { baseUrl: MINE.CHAINFRAME_BASE_URL, token: "of-the-attacker" };
    const poisoned = () => Promise.resolve(answer("poisoned"));
    await blockchainComparison(
      {},
      connect({ baseUrl, token, fetch: poisoned, cache: { dir: "answers" } }),
    );
    await withEnvironment(MINE, async () => {
      const told = await hearing(async () => {
        const frame = await blockchainComparison(
          {},
          connect({ fetch: () => Promise.resolve(answer("true")) }),
        );
        assert.deepEqual(frame.getColumn("chain_id").toArray(), ["true"]);
      });
      assert.equal(told.length, 1);
      assert.match(told[0]!, NOT_USED);
      // Offline as well, the address of the environment does not get the responses of the file.
      await hearing(() =>
        assert.throws(
          () => connect({ cache: { mode: "offline" } }),
          /^ConfigurationError: cache\.dir/,
        )
      );
    });
    // Offline without an address, the folder is all there is.
    const told = await hearing(async () => {
      const frame = await blockchainComparison({}, connect({ cache: { mode: "offline" } }));
      assert.deepEqual(frame.getColumn("chain_id").toArray(), ["poisoned"]);
    });
    assert.deepEqual(told, [
      `chainframe: the cache folder ${Deno.cwd()}/answers comes from ${Deno.cwd()}/.env`,
    ]);
  });
});

Deno.test("a cache folder of a .env file needs address and token of the same file", async () => {
  const CACHE = `${FILE}CHAINFRAME_CACHE=answers\n`;
  /** The file, the environment, the options, the folder that is used, and the notices. */
  const cases: readonly (readonly [
    file: { project?: string; inner?: string },
    environment: Parameters<typeof withEnvironment>[0],
    options: ConnectOptions,
    folder: string | undefined,
    notices: readonly RegExp[],
  ])[] = [
    [{ inner: CACHE }, {}, {}, "inner/answers", [/address and token/, /folder .*inner\/answers /]],
    [{ project: CACHE }, {}, {}, "answers", [/address and token/, /folder .*project\/answers /]],
    [{ inner: `${FILE}CHAINFRAME_CACHE=/kept` }, {}, {}, "/kept", [/address/, / \/kept comes /]],
    [{ inner: CACHE }, MINE, {}, undefined, [NOT_USED]],
    [{ inner: CACHE }, {}, { baseUrl: "https://o.example", token: "mine" }, undefined, [NOT_USED]],
    [{ inner: "CHAINFRAME_CACHE=answers" }, {}, {}, undefined, [NOT_USED]],
    [{ inner: "CHAINFRAME_CACHE=answers", project: FILE }, {}, {}, undefined, [NOT_USED]],
    // A folder of the environment or of the options is used with any address.
    [{ inner: CACHE }, { ...MINE, CHAINFRAME_CACHE: "mine" }, {}, "mine", []],
    [{ inner: CACHE }, MINE, { cache: { dir: "own" } }, "own", []],
    [{ inner: FILE }, { CHAINFRAME_CACHE: "mine" }, {}, "mine", [/address and token/]],
    [{ inner: CACHE }, {}, { cache: { mode: "refresh" } }, "inner/answers", [/address/, /folder/]],
    [{ inner: CACHE }, MINE, { envFile: false }, undefined, []],
    [{ project: CACHE }, {}, { envFile: "../.env" }, "answers", [
      /address/,
      /project\/answers comes/,
    ]],
  ];
  for (const [file, variables, options, folder, notices] of cases) {
    const what = JSON.stringify([file, variables, options]);
    await inFolder({ ...file, denoJson: true }, () =>
      withEnvironment(variables, async () => {
        let dir: string | undefined;
        const told = await hearing(() => void (dir = settingsOf(connect(options)).cache?.dir));
        const root = Deno.cwd().replace(/\/inner$/, "");
        assert.equal(dir?.replace(`${root}/`, ""), folder, what);
        assert.equal(told.length, notices.length, `${what}: ${told}`);
        notices.forEach((notice, at) => assert.match(told[at]!, notice));
      }));
  }
});

Deno.test("a link to the user's .env file does not lead to a cache of the foreign folder", () =>
  inFolder({ project: `${FILE}CHAINFRAME_CACHE=answers\n`, denoJson: true }, async () => {
    Deno.symlinkSync("../.env", ".env");
    const told = await hearing(() => {
      assert.match(settingsOf(connect()).cache!.dir, /\/project\/answers$/);
    });
    assert.equal(told.length, 2);
  }));

Deno.test("a line break in a path of a .env file does not begin a further notice", async () => {
  const inner = `${FILE}CHAINFRAME_CACHE="a\\nchainframe: all is well"\n`;
  await inFolder({ inner, denoJson: true }, async () => {
    const told = await hearing(() => void connect());
    assert.match(
      told[1]!,
      /^chainframe: the cache folder .*a\ufffdchainframe: all is well comes from [^\n]*$/,
    );
  });
});

Deno.test("a .env file that may not be read without a prompt is not read", () =>
  inFolder({ inner: FILE, denoJson: true }, async () => {
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
  }));

Deno.test("a 403 for an invalid token names where the token came from, and the plan", () =>
  inFolder({ project: FILE, denoJson: true }, async () => {
    const refusing = (message: string) => () =>
      Promise.resolve(Response.json({ message }, { status: 403 }));
    const told = async (options: ConnectOptions, message = "invalid token") => {
      let text = "";
      await hearing(() =>
        blockchainComparison({}, connect({ ...options, fetch: refusing(message) }))
          .catch((error: Error) => void (text = error.message))
      );
      return text;
    };
    const plan = " The API needs a plan with API access: see docs/errors.md";
    assert.match(
      await told({}),
      /answered 403: invalid token; the token comes from CHAINFRAME_TOKEN in .*\/project\/\.env\. The API/,
    );
    const given = { baseUrl: "https://api.example.org", token: "t0ken" };
    assert.ok((await told(given)).endsWith(`the token comes from the option token.${plan}`));
    Deno.env.set("CHAINFRAME_BASE_URL", given.baseUrl);
    Deno.env.set("CHAINFRAME_TOKEN", given.token);
    const told403 = await told({});
    assert.ok(told403.endsWith(`the token comes from CHAINFRAME_TOKEN of the environment.${plan}`));
    assert.ok(!told403.includes("t0ken"));
    assert.ok((await told(given, "not in your plan")).endsWith("403: not in your plan"));
  }));
