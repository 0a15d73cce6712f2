import { readFile } from "node:fs/promises";
import {
  anything,
  checkOptions,
  type Refuse,
  required,
  type Rule,
} from "../../platform/check_options.ts";
import { environment, refuseProxy, serverUrl } from "../../platform/machine.ts";
import { ClusterError, type ShardList } from "./clickhouse.ts";

const PASSWORD = "CHAINFRAME_CLICKHOUSE_PASSWORD";

/** Accepts text of a pattern. */
function text(pattern: RegExp, rule: string): Rule<string> {
  return (value, refuse) => typeof value === "string" && pattern.test(value) ? value : refuse(rule);
}

const RULES = {
  // An address may contain a password, so a message must not show this value.
  shards: anything,
  database: required(text(/^[A-Za-z_]\w*$/, "must be letters, digits and _")),
  // A user name must not contain a colon, because credentials are sent in a header as `user:password`.
  user: required(
    text(/^[\x21-\x39\x3b-\x7e]+$/, "must be printable ASCII without spaces and colons"),
  ),
};

function urlsOf(value: unknown, refuse: Refuse): string[] {
  if (!Array.isArray(value) || value.length === 0) {
    return refuse("shards: must be a list of at least one address (not shown)");
  }
  const urls = value.map((each, index) => {
    const refuseUrl = (rule: string) => refuse(`shards[${index}]: ${rule}`);
    const url = serverUrl(each, "password", refuseUrl);
    if (url.pathname !== "/") refuseUrl(`must not contain a path; got ${url.origin}`);
    refuseProxy(url, "password", refuseUrl);
    return url.origin;
  });
  const twice = urls.findIndex((url, index) => urls.indexOf(url) !== index);
  if (twice >= 0) refuse(`shards[${twice}]: is listed twice; got ${urls[twice]}`);
  return urls;
}

/**
 * Reads the file that lists the shards: JSON with `shards` (HTTP addresses), `database` and `user`. The password is the
 * value of `CHAINFRAME_CLICKHOUSE_PASSWORD`, by default empty.
 *
 * @throws {ClusterError} when a field is invalid. The message names the field. It shows the value of the field unless
 * the value may be a password.
 */
export async function readShardList(path: string): Promise<ShardList> {
  const refuse: Refuse = (problem) => {
    throw new ClusterError(`${path}: ${problem}`);
  };
  const content = await readFile(path, "utf8").catch((error) =>
    refuse(`the file of shards cannot be read (${error.code ?? error.name})`)
  );
  let fields: object;
  try {
    fields = JSON.parse(content);
  } catch {
    // The parser's message quotes the file, which may contain a password.
    return refuse("is not JSON");
  }
  if (Object.hasOwn(fields ?? {}, "password")) {
    refuse(`password: must not be in this file; set ${PASSWORD}`);
  }
  const about = {
    prefix: `${path}: `,
    noun: "the content",
    error: (m: string) => new ClusterError(m),
  };
  const { shards, database, user } = checkOptions(fields, RULES, about);
  return { urls: urlsOf(shards, refuse), database, user, password: environment(PASSWORD) ?? "" };
}
