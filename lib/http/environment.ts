import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
// Importing the member by name would fail in older versions of Node.js before the version is checked.
import * as util from "node:util";
import { environment } from "../platform/machine.ts";
import { isGranted } from "../platform/permission.ts";

/** The variables of one source: the environment or a file. */
export interface Variables {
  /** The path of the file; null for the environment. */
  readonly file: string | null;
  /** The folder of the file, or of the file that a link leads to. Relative paths in the file start at this folder. */
  readonly folder: string;
  readonly values: Readonly<Record<string, string | undefined>>;
}

const NAMES = ["CHAINFRAME_BASE_URL", "CHAINFRAME_TOKEN", "CHAINFRAME_CACHE"];

function valuesBy(get: (name: string) => string | undefined): Variables["values"] {
  return Object.fromEntries(NAMES.map((name) => [name, get(name) || undefined]));
}

/** Returns whether a path may be read without a prompt. */
function mayRead(path: string): boolean {
  return isGranted({ name: "read", path });
}

function exists(path: string): boolean {
  try {
    return mayRead(path) && statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * Returns the folders to search: the current folder and its parents, up to the nearest folder with a `deno.json`. If no
 * folder has a `deno.json`, returns only the current folder.
 */
function foldersAbove(): string[] {
  if (!mayRead(".")) return [];
  const current = process.cwd();
  const folders: string[] = [];
  for (let folder = current;; folder = dirname(folder)) {
    folders.push(folder);
    if (["deno.json", "deno.jsonc"].some((name) => exists(join(folder, name)))) return folders;
    if (folder === dirname(folder)) return [current];
  }
}

function fileNamed(name: string): string | undefined {
  if (name !== ".env") return exists(name) ? name : undefined;
  return foldersAbove().map((folder) => join(folder, name)).find(exists);
}

/**
 * Returns the `CHAINFRAME_*` variables of the environment, then the variables of the `.env` file if the file can be
 * read without a prompt. The variables of the file are not added to the environment.
 */
export function environmentOf(envFile: string | false): Variables[] {
  const variables: Variables[] = [{ file: null, folder: ".", values: valuesBy(environment) }];
  const file = envFile === false ? undefined : fileNamed(envFile);
  if (file === undefined) return variables;
  const parsed = util.parseEnv(readFileSync(file, "utf8")) as Record<string, string | undefined>;
  const folder = dirname(realpathSync(file));
  return [...variables, { file, folder, values: valuesBy((name) => parsed[name]) }];
}
