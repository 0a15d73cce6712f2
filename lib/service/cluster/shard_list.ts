import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import {
  anything,
  checkOptions,
  type Refuse,
  required,
  type Rule,
} from "../../platform/check_options.ts";
import { environment, refuseProxy, serverUrl } from "../../platform/machine.ts";
import { shown } from "../../platform/terminal.ts";
import { ClusterError } from "./clickhouse.ts";

/** Addresses and credentials of the shards. */
export interface ShardList {
  /** HTTP address of each shard, in the order of the file. The order determines which shard stores a user's rows. */
  readonly urls: readonly string[];
  /** Name of the database with the facts. It is the same on every shard. */
  readonly database: string;
  readonly user: string;
  readonly password: string;
}

const PASSWORD = "CHAINFRAME_CLICKHOUSE_PASSWORD";
/** Accepts text of a pattern. */
function text(pattern: RegExp, rule: string): Rule<string> {
  return (value, refuse) => typeof value === "string" && pattern.test(value) ? value : refuse(rule);
}

const RULES = {
  // An address may contain a password, so a message must not show this value.
  shards: anything,
  database: required(text(
    /^(?!(system|default|information_schema)$)[A-Za-z_][A-Za-z0-9_]{0,63}$/i,
    "must be a database for chainframe only, of letters, digits and _",
  )),
  // A user name must not contain a colon, because credentials are sent in a header as `user:password`.
  user: required(
    text(/^[\x21-\x39\x3b-\x7e]+$/, "must be printable ASCII without spaces and colons"),
  ),
  password_file: text(/./, "must be the path of a file"),
};

function urlOf(value: unknown, field: string, refuse: Refuse): string {
  const refuseUrl = (rule: string) => refuse(`${field}: ${rule}`);
  const url = serverUrl(value, "password", refuseUrl);
  if (url.pathname !== "/") refuseUrl(`must not contain a path; got ${url.origin}`);
  refuseProxy(url, "password", refuseUrl);
  return url.origin;
}

function urlsOf(value: unknown, refuse: Refuse): string[] {
  if (!Array.isArray(value) || value.length === 0) {
    return refuse("shards: must be a list of at least one address (not shown)");
  }
  const urls = value.map((each, index) => urlOf(each, `shards[${index}]`, refuse));
  const twice = urls.findIndex((url, index) => urls.indexOf(url) !== index);
  if (twice >= 0) refuse(`shards[${twice}]: is listed twice; got ${urls[twice]}`);
  return urls;
}

async function passwordIn(file: string, refuse: Refuse): Promise<string> {
  const text = await readFile(file, "utf8").catch((error) =>
    refuse(`password_file: cannot be read: ${shown(file)} (${error.code ?? error.name})`)
  );
  return text.replace(/\r?\n$/, "");
}

async function passwordOf(file: string | undefined, refuse: Refuse): Promise<string> {
  const password = environment(PASSWORD) ??
    (file === undefined ? "" : await passwordIn(file, refuse));
  if (/^[\x20-\x7e]*$/.test(password)) return password;
  return refuse("the password must be one line of printable ASCII (not shown here)");
}

function parsed(text: string, refuse: Refuse): object {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's message quotes the file, which may contain a password, so only the position is shown.
    const [place = ""] = /\(line \d+ column \d+\)/.exec((error as Error).message) ?? [];
    return refuse(`is not JSON ${place}`.trim());
  }
}

/**
 * Reads the file that lists the shards: JSON with `shards` (HTTP addresses), `database` and `user`.
 *
 * The password is the value of `CHAINFRAME_CLICKHOUSE_PASSWORD`. If this variable is not set, the password is the
 * content of the file `password_file`, whose path is relative to the folder of the file that lists the shards. If this
 * field is also missing, the password is empty.
 *
 * @throws {ClusterError} when a field is invalid. The message names the field. It shows the value of the field unless
 * the value may be a password.
 */
export async function readShardList(path: string): Promise<ShardList> {
  const refuse: Refuse = (problem) => {
    throw new ClusterError(`${path}: ${problem}`);
  };
  const text = await readFile(path, "utf8").catch((error) =>
    refuse(`the file of shards cannot be read (${error.code ?? error.name})`)
  );
  const fields = parsed(text, refuse);
  if (Object.hasOwn(fields ?? {}, "password")) {
    refuse(`password: must not be in this file; set ${PASSWORD}, or a password_file`);
  }
  const about = {
    prefix: `${path}: `,
    noun: "the content",
    error: (m: string) => new ClusterError(m),
  };
  const { shards, database, user, password_file: file } = checkOptions(fields, RULES, about);
  return {
    urls: urlsOf(shards, refuse),
    database,
    user,
    password: await passwordOf(file && resolve(dirname(path), file), refuse),
  };
}
