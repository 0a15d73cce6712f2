// Has pandas make a frame of the same bytes, in a Python process that is asked for one run at a time, so
// that it takes turns with the other ways.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const PROGRAM = `
import json, sys
try:
    import pandas
except ImportError:
    print("none", flush=True)
    sys.exit()
with open(sys.argv[1], "rb") as file:
    answer = file.read()
print(pandas.__version__, flush=True)
for _ in sys.stdin:
    print(len(pandas.DataFrame(json.loads(answer)["data"])), flush=True)
`;

/** pandas with an answer in memory. */
export interface Pandas {
  readonly version: string;
  /** Makes a frame of the answer, once. */
  readonly run: () => Promise<void>;
  readonly end: () => Promise<void>;
}

async function startWith(python: string, path: string): Promise<Pandas | null> {
  const child = spawn(python, ["-c", PROGRAM, path], { stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise<void>((resolve) => {
    child.on("close", () => resolve());
    child.on("error", () => resolve());
  });
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const version = (await lines.next()).value as string | undefined;
  if (version === undefined || version === "none") {
    await ended;
    return null;
  }
  return {
    version,
    run: async () => {
      child.stdin!.write("again\n");
      if ((await lines.next()).done) throw new Error("pandas ended before its time");
    },
    end: async () => {
      child.stdin!.end();
      await ended;
    },
  };
}

/** Starts a Python that has pandas; null where none has. Debian's stands behind others of the same name. */
export async function startPandas(bytes: Uint8Array): Promise<Pandas | null> {
  const path = await Deno.makeTempFile({ suffix: ".json" });
  try {
    await Deno.writeFile(path, bytes);
    return await startWith("python3", path) ?? await startWith("/usr/bin/python3", path);
  } finally {
    // It has been read, or nobody wants it.
    await Deno.remove(path);
  }
}
