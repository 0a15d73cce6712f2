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
  /** Makes its disk larger, where it has one of its own. */
  readonly enlarge: (disk: string) => Promise<void>;
}

/** What the servers of a test are given. */
export interface ShardOptions {
  readonly count: number;
  readonly user: string;
  readonly password: string;
  /**
   * How large the disk of the last one is, such as `4m`: in memory, and gone with the process.
   * @default as large as that of the machine
   */
  readonly disk?: string;
}

const SERVER = "/usr/sbin/clickhouse-server";

/** Whether this machine has the server. */
export const HAS_CLICKHOUSE: boolean = await Deno.stat(SERVER).then(() => true, () => false);

// A process with mounts of its own, which nobody else sees and nobody has to take away.
const APART = ["unshare", "--map-root-user", "--mount", "sh", "-c"];
const MOUNT = 'mount -t tmpfs -o size="$0" tmpfs "$1"';

async function runs(program: string, args: readonly string[]): Promise<boolean> {
  return await new Deno.Command(program, { args: [...args], stdout: "null", stderr: "null" })
    .output().then(({ success }) => success, () => false);
}

/** Whether a server of a test can have a small disk of its own on this machine. */
export const HAS_SMALL_DISKS: boolean = await runs(APART[0]!, [
  ...APART.slice(1),
  MOUNT,
  "1m",
  "/tmp",
]);

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  return port;
}

function config(folder: string, [http, tcp, between]: readonly number[]): string {
  return `<yandex>
  <logger><level>warning</level><log>${folder}/server.log</log>
    <errorlog>${folder}/error.log</errorlog></logger>
  <http_port>${http}</http_port><tcp_port>${tcp}</tcp_port>
  <interserver_http_port>${between}</interserver_http_port>
  <listen_host>127.0.0.1</listen_host>
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

async function answers(url: string, child: Deno.ChildProcess): Promise<void> {
  let ended = false;
  child.status.then(() => ended = true);
  for (let tries = 0; tries < 600 && !ended; tries++) {
    const up = await fetch(`${url}/ping`).then(
      async (response) => (await response.text()) === "Ok.\n",
      () => false,
    );
    if (up) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the server on ${url} did not start`);
}

// A day is a part of some thirty files: disks of machines that do much else take minutes to make them.
const MEMORY = "/dev/shm";
const ENOUGH_KB = 4_000_000;

async function folderOfShards(): Promise<{ dir?: string }> {
  const { success, stdout } = await new Deno.Command("df", {
    args: ["--output=avail", "-k", MEMORY],
    stderr: "null",
  }).output().catch(() => ({ success: false, stdout: new Uint8Array() }));
  const free = Number(new TextDecoder().decode(stdout).split("\n")[1]);
  return success && free > ENOUGH_KB ? { dir: MEMORY } : {};
}

async function startShard(options: ShardOptions, disk?: string): Promise<Shard> {
  const folder = await Deno.makeTempDir({
    prefix: "chainframe-shard-",
    ...await folderOfShards(),
  });
  const ports = [freePort(), freePort(), freePort()] as const;
  await Deno.writeTextFile(`${folder}/config.xml`, config(folder, ports));
  await Deno.writeTextFile(`${folder}/users.xml`, users(options));
  const url = `http://127.0.0.1:${ports[0]}`;
  await Deno.mkdir(`${folder}/data`);
  const server = [SERVER, `--config-file=${folder}/config.xml`];
  const command = disk === undefined
    ? server
    : [...APART, `${MOUNT} && shift && exec "$@"`, disk, `${folder}/data`, ...server];
  const start = async () => {
    const child = new Deno.Command(command[0]!, {
      args: command.slice(1),
      cwd: folder,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    await answers(url, child);
    return child;
  };
  let child = await start();
  return {
    url,
    folder,
    get pid() {
      return child.pid;
    },
    signal: (signal) => child.kill(signal),
    kill: async () => {
      try {
        child.kill("SIGCONT");
        child.kill("SIGKILL");
      } catch {
        // It has ended already.
      }
      await child.status;
    },
    restart: async () => {
      child = await start();
    },
    enlarge: async (size) => {
      const remount = ["mount", "-o", `remount,size=${size}`, `${folder}/data`];
      const inside = ["-t", `${child.pid}`, "-U", "-m", "--preserve-credentials"];
      if (!await runs("nsenter", [...inside, ...remount])) throw new Error("the disk stays small");
    },
  };
}

/** Starts servers, gives them to a test, and ends them and their folders whatever the test does. */
export async function withShards(
  options: ShardOptions,
  use: (shards: readonly Shard[]) => Promise<void>,
): Promise<void> {
  const shards: Shard[] = [];
  try {
    for (let index = 1; index <= options.count; index++) {
      shards.push(await startShard(options, index === options.count ? options.disk : undefined));
    }
    await use(shards);
  } finally {
    for (const shard of shards) {
      await shard.kill();
      await Deno.remove(shard.folder, { recursive: true }).catch(() => {});
    }
  }
}
