import { ok } from "node:assert/strict";

const ROOT = new URL("../../", import.meta.url);

const PAGES = ["retention", "over_time", "programs", "tables"];

/** The functions of lib/analysis that mod.ts exports, in its order. */
async function functions(): Promise<string[]> {
  const module = await Deno.readTextFile(new URL("mod.ts", ROOT));
  const lists = [...module.matchAll(/^export \{([^}]*)\} from "\.\/lib\/analysis\//gm)];
  return lists.flatMap(([, list]) => list!.split(",").map((name) => name.trim()))
    // Names of types and constants begin with a capital.
    .filter((name) => /^[a-z]\w*$/.test(name));
}

Deno.test("the pages of analyses state the limits of every function", async () => {
  const names = await functions();
  ok(names.length >= 16, `${names}`);
  const pages = await Promise.all(
    PAGES.map((page) => Deno.readTextFile(new URL(`docs/${page}.md`, ROOT))),
  );
  const sections = pages.flatMap((page) => page.split(/^## /m).slice(1));
  for (const name of names) {
    const [section] = sections.filter((text) =>
      new RegExp(`\\b${name}\\b`).test(text.split("\n")[0]!)
    );
    ok(section?.includes("**Limits.**"), name);
  }
});
