import { match, ok, strictEqual } from "node:assert/strict";
import { inFolder, runCommand, runScript } from "../../scripts/run_script.ts";

const FOLDER = new URL(".", import.meta.url);
const MOST_LINES = 25;

/** The output and the files of each story. */
const STORIES = {
  "sectors_that_keep_users.ts": ["sectors.svg", "sectors.csv"],
  "chains_per_user.ts": ["per_user.svg"],
  "money_through_a_sector.ts": ["flows.svg", "contracts.parquet"],
  "fees_month_by_month.ts": ["fees.csv"],
} as const;

for (const [story, files] of Object.entries(STORIES)) {
  Deno.test(`the story ${story} has at most 25 lines, and runs in a folder made by init.ts`, () =>
    inFolder(async (folder) => {
      const text = await Deno.readTextFile(new URL(story, FOLDER));
      ok(text.trimEnd().split("\n").length <= MOST_LINES, "it is too long");
      await runScript("init.ts", [`${folder}/mine`]);
      await Deno.writeTextFile(`${folder}/mine/story.ts`, text);
      const options = { cwd: `${folder}/mine` };
      const { code, stdout, stderr } = await runCommand(
        [Deno.execPath(), "run", "-A", "story.ts"],
        options,
      );
      strictEqual(code, 0, stderr);
      match(stdout, /rows? × \d+ columns[^]*SAMPLE DATA/);
      for (const file of files) {
        ok((await Deno.stat(`${folder}/mine/${file}`)).size > 100, file);
        const origin = await Deno.readTextFile(`${folder}/mine/${file}.provenance.json`);
        match(origin, /"source": "sample"/);
      }
    }));
}
