import { deepStrictEqual as equal } from "node:assert/strict";
import { document } from "../../service/openapi_test.ts";

const REDOCLY = "npm:@redocly/cli@2.77.0";

async function withDocument(use: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/openapi.json`, JSON.stringify(document));
    await use(`${folder}/openapi.json`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a validator accepts openapi.json", () =>
  withDocument(async (path) => {
    const { code, stderr, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-lock", "--quiet", REDOCLY, "lint", path, "--format", "json"],
      env: { NO_COLOR: "1", REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    }).output();
    const told = new TextDecoder().decode(stdout);
    equal(code, 0, told + new TextDecoder().decode(stderr));
    const { totals } = JSON.parse(told.slice(told.indexOf("{")));
    equal([totals.errors, totals.warnings], [0, 0], told);
  }));
