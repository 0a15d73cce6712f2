import { deepStrictEqual, ok } from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

const ROOT = new URL("../../", import.meta.url).pathname;

/** The address of the repository, as all pages have it. */
const REPOSITORY = "https://github.com/chainframe/chainframe";

function pages(): string[] {
  const inDocs = [...Deno.readDirSync(join(ROOT, "docs"))].map(({ name }) => `docs/${name}`);
  return ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", ...inDocs]
    .filter((path) => path.endsWith(".md"));
}

/** What a heading is called in a link. */
function anchorOf(heading: string): string {
  return heading.trim().toLowerCase().replace(/[^\p{L}\p{N}_\- ]/gu, "").replaceAll(" ", "-");
}

function anchorsIn(page: string): Set<string> {
  const text = page.replace(/^```[^]*?^```/gm, "");
  return new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!)));
}

Deno.test("every link of a page leads to a file, and to a heading of it", () => {
  const texts = new Map(pages().map((path) => [path, Deno.readTextFileSync(join(ROOT, path))]));
  const lost: string[] = [];
  let links = 0;
  for (const [path, text] of texts) {
    for (const [, to, anchor] of text.matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)/g)) {
      links++;
      const target = to === "" ? path : join(dirname(path), to!);
      const page = texts.get(target);
      if (!existsSync(join(ROOT, target))) lost.push(`${path}: ${target}`);
      else if (anchor !== undefined && page !== undefined && !anchorsIn(page).has(anchor)) {
        lost.push(`${path}: ${target}#${anchor}`);
      }
    }
  }
  ok(links > 100, `${links} links are read`);
  deepStrictEqual(lost, []);
});

Deno.test("every page clones the repository from one address", () => {
  const others = pages().flatMap((path) =>
    [...Deno.readTextFileSync(join(ROOT, path)).matchAll(/git clone (\S+)/g)]
      .map(([, address]) => address!)
      .filter((address) => address !== `${REPOSITORY}.git`)
      .map((address) => `${path}: ${address}`)
  );
  deepStrictEqual(others, []);
});

Deno.test("README.md has at most 120 lines and 700 words", () => {
  const text = Deno.readTextFileSync(join(ROOT, "README.md"));
  const lines = text.split("\n").length - 1;
  const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  ok(lines <= 120 && words <= 700, `${lines} lines, ${words} words`);
});
