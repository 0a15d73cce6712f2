import { ok, strictEqual } from "node:assert/strict";
import { inResearchFolder } from "./research_folder.ts";

const DOCS = new URL("../../../docs/", import.meta.url);

Deno.test("the commands that pages begin with run in a folder of init.ts", () =>
  inResearchFolder(async ({ command }) => {
    const pages = [...Deno.readDirSync(DOCS)].map(({ name }) => name).filter((name) =>
      name.endsWith(".md")
    );
    let count = 0;
    for (const page of pages) {
      const text = await Deno.readTextFile(new URL(page, DOCS));
      const block = /^```(.*)\n([^]*?)^```$/m.exec(text);
      if (block?.[1] !== "sh" || !/^deno (task|run --allow)/.test(block[2]!)) continue;
      // These are the tasks of the clone, for contributors and for those who run the service.
      if (/^deno task (bench|load|build)/.test(block[2]!)) continue;
      count++;
      const { code, stderr } = await command(["sh", "-ec", block[2]!]);
      strictEqual(code, 0, `${page}: ${stderr}`);
    }
    ok(count >= 4, `${count} pages`);
  }));
