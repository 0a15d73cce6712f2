import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  type Ended,
  inFolder,
  runCommand,
  type RunOptions,
  runScript,
} from "../../scripts/run_script.ts";

const DOCS = new URL("../../../docs/", import.meta.url);
const GENERATED = ["dictionary.md", "options.md"];

const pages = [...Deno.readDirSync(DOCS)].map(({ name }) => name)
  .filter((name) => name.endsWith(".md") && !GENERATED.includes(name))
  .map((name) => Deno.readTextFileSync(new URL(name, DOCS))).join("\n");

/** Fails if a page that is written by hand lacks one of these words. */
function areOnPages(words: readonly string[]): void {
  const missing = words.filter((word) =>
    !new RegExp(`(?<![\\w-])${RegExp.escape(word)}(?![\\w-])`).test(pages)
  );
  deepStrictEqual(missing, [], "words that no page has");
}

/** A folder of `init.ts`, in which a test works as a reader of the pages does. */
export interface ResearchFolder {
  readonly path: string;
  /** Runs `picture.ts` as the README says. Returns what it prints. */
  run(code: string, env?: RunOptions["env"]): Promise<string>;
  /** Runs a task of the folder on a terminal of 100 places. */
  task(line: string): Promise<{ code: number; screen: string }>;
  /** Runs a command in the folder. */
  command(words: readonly string[], env?: RunOptions["env"]): Promise<Ended>;
}

/** Runs a test in a folder of `init.ts`. All names and flags that the test uses must be on the pages. */
export function inResearchFolder(work: (folder: ResearchFolder) => Promise<void>): Promise<void> {
  return inFolder(async (path) => {
    await runScript("init.ts", [path]);
    await Deno.mkdir(`${path}/bin`);
    await Deno.symlink(Deno.execPath(), `${path}/bin/deno`);
    const PATH = `${path}/bin:${Deno.env.get("PATH")}`;
    const command: ResearchFolder["command"] = (words, env = {}) =>
      runCommand(words, { cwd: path, env: { PATH, NO_COLOR: "1", ...env } });
    await work({
      path,
      command,
      async run(code, env) {
        const [, names] = /^import \{([^}]+)\} from "@chainframe\/chainframe";$/m.exec(code)!;
        areOnPages(names!.split(",").map((name) => name.trim()).filter(Boolean));
        await Deno.writeTextFile(`${path}/picture.ts`, code);
        const { code: exit, stdout, stderr } = await command(
          ["deno", "run", "-A", "picture.ts"],
          env,
        );
        strictEqual(exit, 0, stderr);
        return stdout;
      },
      async task(line) {
        areOnPages([...line.matchAll(/--[a-z-]+/g)].map(([flag]) => flag));
        const shell = `stty cols 100 rows 40; deno task --quiet ${line}`;
        const { code, stdout } = await command(["script", "-qec", shell, "/dev/null"]);
        // Deno clears the lines of its own progress.
        // deno-lint-ignore no-control-regex -- they are control codes
        return { code, screen: stdout.replaceAll("\r\n", "\n").replace(/\x1b\[(0G|2K|J)/g, "") };
      },
    });
  });
}

/** Whether a file is a PNG, by its first bytes. */
export async function isPng(path: string): Promise<boolean> {
  const bytes = await Deno.readFile(path);
  return [0x89, 0x50, 0x4e, 0x47].every((byte, at) => bytes[at] === byte);
}
