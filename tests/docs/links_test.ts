import { deepStrictEqual, ok } from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { NAME, REPOSITORY } from "../../.ci/package.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

function pages(): string[] {
  const inDocs = ["docs", "docs/service"].flatMap((folder) =>
    [...Deno.readDirSync(join(ROOT, folder))].map(({ name }) => `${folder}/${name}`)
  );
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

/** The matches of a pattern in all pages and scripts, each with its file. */
function found(pattern: RegExp): [path: string, text: string][] {
  const scripts = [...Deno.readDirSync(join(ROOT, "scripts"))].map(({ name }) => `scripts/${name}`);
  return [...pages(), ...scripts.filter((path) => path.endsWith(".ts"))].flatMap((path) =>
    [...Deno.readTextFileSync(join(ROOT, path)).matchAll(pattern)]
      .map(([, text]): [string, string] => [path, text!])
  );
}

Deno.test("every page has one address of the repository and one name of the package", () => {
  const addresses = found(/(https:\/\/[\w.]+\/[\w-]*chainframe[\w./-]*)/g);
  deepStrictEqual(addresses.filter(([, text]) => !text.startsWith(`${REPOSITORY}.git`)), []);
  const names = found(/(?:jsr:|npm install |from "|^)(@[\w-]*chainframe[\w-]*\/[\w-]+)/gm);
  ok(addresses.length > 0 && names.length > 50, `${addresses.length}, ${names.length}`);
  deepStrictEqual(names.filter(([, text]) => text !== NAME), []);
});

Deno.test("every page that README.md links opens with code, which runs in a folder of init.ts", () => {
  const linked = new Set(
    [...Deno.readTextFileSync(join(ROOT, "README.md")).matchAll(/\]\((docs\/\w+\.md)\)/g)]
      .map(([, path]) => path!),
  );
  // These two are tables, written from the code.
  for (const generated of ["docs/options.md", "docs/dictionary.md"]) ok(linked.delete(generated));
  ok(linked.size > 20, `${linked.size} pages`);
  const others = [...linked].filter((path) => {
    const text = Deno.readTextFileSync(join(ROOT, path));
    const [, before, kind, code] = /^([^]*?)^```(.*)\n([^]*?)^```$/m.exec(text)!;
    const isFirst = before!.split("\n## ").length <= 2;
    const lines = code!.trim().split("\n");
    // examples_test.ts runs the blocks of TypeScript, and tests/slow/stories those of the shell.
    const runs = kind === "ts" ||
      kind === "sh" && lines.every((line) => /^deno (task|run --allow)/.test(line));
    return !(isFirst && runs);
  });
  deepStrictEqual(others, []);
});

Deno.test("README.md has at most 125 lines and 700 words", () => {
  const text = Deno.readTextFileSync(join(ROOT, "README.md"));
  const lines = text.split("\n").length - 1;
  const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  ok(lines <= 125 && words <= 700, `${lines} lines, ${words} words`);
});
