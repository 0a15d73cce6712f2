import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { systemClock } from "../../../lib/http/clock.ts";
import { openConnection } from "../../../lib/http/connect.ts";
import { TOOLS } from "../../../scripts/mcp/tools.ts";
import { liveService } from "../../scripts/live_service.ts";
import { inFolder } from "../../scripts/run_script.ts";
import { inSession } from "./mcp_session.ts";

const PAGE = new URL("../../../docs/agents.md", import.meta.url);
const AS_OF = "2026-06-18";

const SECTORS = ["lending", "liquid-staking", "stablecoin-issuers"];

/** The calls of the page, in its order. */
const CALLS: readonly (readonly [tool: string, args: Record<string, unknown>])[] = [
  ["compare_retention", {
    by: "market_sector_id",
    groups: ["liquid-staking", "stablecoin-issuers"],
    month: 6,
  }],
  ["pipe", {
    source: { operation: "cohort_analysis", query: { market_sector_ids: SECTORS } },
    steps: [
      { retentionCurves: {} },
      { pooledRetention: { by: "market_sector_id" } },
      { plotRetention: {} },
    ],
  }],
];

/** The lines of a transcript that are the same on every day. */
function lasting(text: string): string {
  return text.replace(/; sha256 [0-9a-f]{64}/g, "");
}

/** Fills an archive with responses of one moment, for questions as of the day after. */
async function fillArchive(dir: string, env: Record<string, string>): Promise<void> {
  const clock = { ...systemClock, now: () => Date.parse(`${AS_OF}T06:00:00Z`) };
  const connection = openConnection({
    baseUrl: env.CHAINFRAME_BASE_URL!,
    token: env.CHAINFRAME_TOKEN!,
    cache: { dir },
    onMissing: "ignore",
  }, clock);
  for (const [name, { limit: _, ...args }] of CALLS) {
    await TOOLS[name]!.run(args, connection);
  }
}

Deno.test("the transcript of docs/agents.md equals the results of the tools as of a day", () =>
  inFolder(async (folder) => {
    const service = await liveService();
    const dir = `${folder}/answers`;
    try {
      await fillArchive(dir, service.env);
    } finally {
      await service.close();
    }
    const blocks: string[] = [];
    await inSession({ args: ["--cache", dir], env: service.env }, async ({ call }) => {
      for (const [name, args] of CALLS) {
        const { content, isError } = await call(name, { ...args, asOf: AS_OF });
        strictEqual(isError ?? false, false, content[0]?.text);
        const text = content.map(({ text, mimeType }) => text ?? `(${mimeType})`).join("\n");
        const heading = `> ${name} ${JSON.stringify({ ...args, asOf: AS_OF })}`;
        blocks.push(`\`\`\`text\n${heading}\n${lasting(text)}\n\`\`\``);
      }
    });
    let page = await Deno.readTextFile(PAGE);
    if (Deno.args.includes("--update")) {
      let at = 0;
      page = page.replace(/```text\n> [^]*?\n```/g, () => blocks[at++]!);
      await Deno.writeTextFile(PAGE, page);
    }
    deepStrictEqual(page.match(/```text\n> [^]*?\n```/g), blocks);
  }));
