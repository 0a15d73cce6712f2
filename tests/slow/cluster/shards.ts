/** A ClickHouse server of a test: in a folder of its own, on loopback, ended by its process id. */
export interface Shard {
  /** The HTTP address. */
  readonly url: string;
  readonly pid: number;
  readonly folder: string;
  /** Sends it a signal: `SIGSTOP` stalls it, `SIGCONT` lets it go on. */
  readonly signal: (signal: Deno.Signal) => void;
  /** Ends it at once, as a crash would, and waits until it is gone. */
  readonly kill: () => Promise<void>;
  /** Starts it again on the same folder and port. */
  readonly restart: () => Promise<void>;
  /**
   * Has every byte that it writes fail, as a full disk does, or no more. It needs no right to mount,
   * as it is a limit of the process; the reason given is another one: `File too large`.
   */
  readonly fill: (full: boolean) => Promise<void>;
  /** Adds a cluster of shards to its configuration. */
  readonly addCluster: (name: string, shards: readonly Shard[]) => Promise<void>;
  /** The port of the native protocol. */
  readonly tcpPort: number;
}

/** Options of the servers of a test. */
export interface ShardOptions {
  readonly count: number;
  readonly user: string;
  readonly password: string;
}

const SERVER = "/usr/sbin/clickhouse-server";

/** Whether this machine has the server. */
export const HAS_CLICKHOUSE: boolean = await Deno.stat(SERVER).then(() => true, () => false);

/** Returns the output of a program; null if it fails or is missing. */
async function said(program: string, args: readonly string[]): Promise<string | null> {
  try {
    const command = new Deno.Command(program, { args: [...args], stderr: "null" });
    const { success, stdout } = await command.output();
    return success ? new TextDecoder().decode(stdout) : null;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

async function runs(program: string, args: readonly string[]): Promise<boolean> {
  return await said(program, args) !== null;
}

// Below those that any connection of the machine may take for itself, so that a server that starts
// again finds its own one free.
const [FIRST_PORT, PORTS] = [10_000, 20_000];

function freePort(): number {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}

function config(folder: string, port: number, clusters = ""): string {
  return `<yandex>
  <tcp_port>${port + 1}</tcp_port><remote_servers>${clusters}</remote_servers>
  <logger><level>warning</level><console>1</console></logger>
  <http_port>${port}</http_port><listen_host>127.0.0.1</listen_host>
  <http_server_default_response>${folder}</http_server_default_response>
  <max_connections>64</max_connections><keep_alive_timeout>3</keep_alive_timeout>
  <path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path>
  <user_files_path>${folder}/files/</user_files_path>
  <users_config>${folder}/users.xml</users_config>
  <default_profile>default</default_profile><default_database>default</default_database>
  <mark_cache_size>67108864</mark_cache_size>
  <mlock_executable>false</mlock_executable>
</yandex>`;
}

function users({ user, password }: ShardOptions): string {
  return `<yandex>
  <profiles><default><max_memory_usage>2000000000</max_memory_usage></default></profiles>
  <users><${user}><password>${password}</password><networks><ip>127.0.0.1</ip></networks>
    <profile>default</profile><quota>default</quota></${user}></users>
  <quotas><default></default></quotas>
</yandex>`;
}

const STARTS_WITHIN_MS = 180_000;

/** Waits until a server answers, or has ended; another one may have taken the port in between. */
async function answers(
  url: string,
  { folder, child }: { folder: string; child: Deno.ChildProcess },
): Promise<boolean> {
  let ended = false;
  void child.status.then(() => ended = true);
  const until = performance.now() + STARTS_WITHIN_MS;
  while (!ended && performance.now() < until) {
    const signal = AbortSignal.timeout(STARTS_WITHIN_MS / 10);
    const answer = await fetch(url, { signal }).then((response) => response.text()).catch(() => "");
    if (answer === folder) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}

// A day is a part of some thirty files: disks of machines that do much else take minutes to make them.
const MEMORY = "/dev/shm";
const ENOUGH_KB = 4_000_000;

async function folderOfShards(): Promise<{ dir?: string }> {
  const free = Number((await said("df", ["--output=avail", "-k", MEMORY]))?.split("\n")[1]);
  return free > ENOUGH_KB ? { dir: MEMORY } : {};
}

// The server ends with the process of the tests, and a failed write is an error that does not end it. Its log is not
// limited, because a failing logger makes other statements fail.
const SERVED = [
  ...["setpriv", "--pdeathsig", "KILL", "sh", "-c"],
  'trap "" XFSZ; exec "$0" "$@" >server.log 2>&1',
];
const STARTS = 5;

async function startServer(folder: string, port: number) {
  await Deno.writeTextFile(`${folder}/config.xml`, config(folder, port));
  const command = [...SERVED, SERVER, `--config-file=${folder}/config.xml`];
  const child = new Deno.Command(command[0]!, {
    args: command.slice(1),
    cwd: folder,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  if (await answers(`http://127.0.0.1:${port}`, { folder, child })) return child;
  await end(child);
  return null;
}

async function end(child: Deno.ChildProcess): Promise<void> {
  try {
    child.kill("SIGCONT");
    child.kill("SIGKILL");
  } catch {
    // It has ended already.
  }
  await child.status;
}

async function startShard(options: ShardOptions): Promise<Shard> {
  const folder = await Deno.makeTempDir({
    prefix: "chainframe-shard-",
    ...await folderOfShards(),
  });
  await Deno.writeTextFile(`${folder}/users.xml`, users(options));
  await Deno.mkdir(`${folder}/data`);
  let port = 0;
  let child: Deno.ChildProcess | null = null;
  for (let tries = 0; child === null && tries < STARTS; tries++) {
    port = freePort();
    child = await startServer(folder, port);
  }
  if (child === null) {
    const log = await Deno.readTextFile(`${folder}/server.log`).catch(() => "it wrote no log");
    await Deno.remove(folder, { recursive: true });
    throw new Error(`no server starts: ${log.slice(-2_000)}`);
  }
  let running = child;
  return {
    url: `http://127.0.0.1:${port}`,
    folder,
    get pid() {
      return running.pid;
    },
    signal: (signal) => running.kill(signal),
    kill: () => end(running),
    restart: async () => {
      const child = await startServer(folder, port);
      if (child === null) throw new Error(`the server on port ${port} does not start again`);
      running = child;
    },
    fill: async (full) => {
      const limit = `--fsize=${full ? 0 : "unlimited"}:`;
      if (!await runs("prlimit", ["--pid", `${running.pid}`, limit])) throw new Error("no limit");
    },
    tcpPort: port + 1,
    addCluster: async (name, shards) => {
      const { user, password } = options;
      const members = shards.map(({ tcpPort }) =>
        `<shard><replica><host>127.0.0.1</host><port>${tcpPort}</port>
          <user>${user}</user><password>${password}</password></replica></shard>`
      );
      const clusters = `<${name}>${members.join("")}</${name}>`;
      await Deno.writeTextFile(`${folder}/config.xml`, config(folder, port, clusters));
      const headers = { authorization: `Basic ${btoa(`${user}:${password}`)}` };
      const body = "SYSTEM RELOAD CONFIG";
      await (await fetch(`http://127.0.0.1:${port}`, { method: "POST", headers, body })).text();
    },
  };
}

/** Starts servers for a test, and removes them and their folders afterwards, also after a failure. */
export async function withShards(
  options: ShardOptions,
  use: (shards: readonly Shard[]) => Promise<void>,
): Promise<void> {
  const starts = Array.from({ length: options.count }, () => startShard(options));
  try {
    await use(await Promise.all(starts));
  } finally {
    for (const started of await Promise.allSettled(starts)) {
      if (started.status === "rejected") continue;
      await started.value.kill();
      await Deno.remove(started.value.folder, { recursive: true }).catch(() => {});
    }
  }
}
