import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { connect, openConnection } from "../../lib/http/connect.ts";
import { CacheError } from "../../lib/http/errors.ts";
import { fetchFile } from "../../lib/http/fetch_file.ts";
import { lockReport } from "../../lib/evidence/lock_results.ts";
import "../../lib/evidence/lock.ts";
import { openFrame } from "../../lib/output/open_frame.ts";
import { save } from "../../lib/output/save.ts";
import { dtypeNames } from "../../lib/table/columns/dtypes.ts";
import { type DataFrame, pl } from "../../lib/table/columns/polars.ts";
import { provenanceOf } from "../../lib/table/track/provenance.ts";
import { sha256 } from "../../lib/platform/machine.ts";
import { hearing } from "../http/hearing.ts";
import { manualClock } from "../http/manual_clock.ts";
import { runCommand } from "../scripts/run_script.ts";
import { inFolder } from "../in_folder.ts";

const citation = "A source";

interface Served {
  readonly url: string;
  readonly requests: { readonly url: string; readonly names: readonly string[] }[];
}

/** Serves on loopback while `work` runs. */
async function serving(
  answer: (request: Request, count: number) => Response,
  work: (served: Served) => Promise<void>,
): Promise<void> {
  const requests: { readonly url: string; readonly names: readonly string[] }[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) => {
      const { url, headers } = request;
      return answer(request, requests.push({ url, names: [...headers.keys()] }));
    },
  );
  try {
    await work({ url: `http://127.0.0.1:${server.addr.port}`, requests });
  } finally {
    await server.shutdown();
  }
}

const json = (value: unknown) => () => Response.json(value);
const cells = (frame: DataFrame) => frame.columns.map((name) => frame.getColumn(name).toArray());
const day = (text: string) => new Date(`${text}T00:00:00Z`);
const direct = connect({ envFile: false });

Deno.test("openFrame reads rows of JSON at an address; objects in rows become JSON texts", () =>
  serving(
    json({
      protocols: [
        { name: "A", id: "007", total24h: 5.5, chains: ["x", "y"], live: true, day: "2026-01-02" },
        { name: "B", id: "1", total24h: null, chains: [], live: false, extra: 12345678901234 },
      ],
    }),
    async ({ url, requests }) => {
      const frame = await openFrame(`${url}/overview/fees`, {
        rows: "protocols",
        citation,
        license: "CC0",
        columns: { total24h: { unit: "usd", adds: "both" } },
      }, direct);
      deepStrictEqual(frame.columns, ["name", "id", "total24h", "chains", "live", "day", "extra"]);
      deepStrictEqual(
        dtypeNames(frame),
        ["String", "String", "Float64", "String", "Bool", "Date", "Float64"],
      );
      deepStrictEqual(cells(frame), [
        ["A", "B"],
        ["007", "1"],
        [5.5, null],
        ['["x","y"]', "[]"],
        [true, false],
        [day("2026-01-02"), null],
        [null, 12345678901234],
      ]);
      deepStrictEqual(requests[0]!.names.filter((name) => /auth|cookie/.test(name)), []);
      const body = JSON.stringify({
        protocols: [
          {
            name: "A",
            id: "007",
            total24h: 5.5,
            chains: ["x", "y"],
            live: true,
            day: "2026-01-02",
          },
          { name: "B", id: "1", total24h: null, chains: [], live: false, extra: 12345678901234 },
        ],
      });
      const { kind, url: from, license, file, file_sha256, retrieved_at } = provenanceOf(
        frame,
      ) as Extract<ReturnType<typeof provenanceOf>, { kind: "given" }>;
      deepStrictEqual([kind, from, license, file, file_sha256], [
        "given",
        `${url}/overview/fees`,
        "CC0",
        null,
        sha256(body),
      ]);
      const today = new Date().toISOString().slice(0, 10);
      strictEqual(retrieved_at?.toISOString().slice(0, 10), today);
    },
  ));

Deno.test("openFrame: the key of * in rows is a column, lists take names, and epochs become dates", () =>
  serving(
    json({
      data: {
        arbitrum: { daily: [["1767225600", 1, 2], ["1767312000", 3, null]] },
        base: { daily: [[1767225600, 5, 6]] },
      },
    }),
    async ({ url }) => {
      const frame = await openFrame(url, {
        rows: "data.*.daily",
        keys: ["chain"],
        names: ["date", "usd", "eth"],
        dates: { date: "seconds" },
        citation,
      }, direct);
      deepStrictEqual(frame.columns, ["chain", "date", "usd", "eth"]);
      deepStrictEqual(cells(frame), [
        ["arbitrum", "arbitrum", "base"],
        [day("2026-01-01"), day("2026-01-02"), day("2026-01-01")],
        [1, 3, 5],
        [2, null, 6],
      ]);
      await rejects(
        openFrame(url, {
          rows: "data.*.daily",
          keys: ["chain"],
          names: ["date", "usd", "eth"],
          dates: { date: "milliseconds", usd: "days", eth: "days" },
          citation,
          columns: { gas: { unit: "usd" } },
        }, direct),
        /columns: expected columns of "chain", "date", "usd", "eth"; got "gas"/,
      );
    },
  ));

Deno.test("openFrame refuses epochs of another unit, with the row", () =>
  serving(json([{ time: 1767225600000 }]), async ({ url }) => {
    await rejects(
      openFrame(url, { dates: { time: "seconds" }, citation }, direct),
      /dates: row 0, time: expected seconds since 1970; got 1767225600000; read from http/,
    );
  }));

Deno.test("openFrame names the lists of a response if rows is missing or wrong", () =>
  serving(json({ status: "ok", data: { prices: [] } }), async ({ url }) => {
    await rejects(
      openFrame(url, { citation }, direct),
      /rows: must be the path of a list such as "data.prices"; got ""/,
    );
    await rejects(
      openFrame(url, { citation, rows: "data.price" }, direct),
      /rows: "data.price" has no member "price"; it has prices/,
    );
  }));

const CSV = "day,project,id,fees,note\n" +
  '2026-01-01,A,007,1.5,"a, b"\n2026-01-02 00:00:00.000 UTC,A,008,,\n';

Deno.test("openFrame infers the dtypes of CSV, and keeps ids with zeros", () =>
  serving(() => new Response(CSV), async ({ url }) => {
    const frame = await openFrame(`${url}/export`, { citation }, direct);
    deepStrictEqual(dtypeNames(frame), ["Date", "String", "String", "Float64", "String"]);
    deepStrictEqual(cells(frame), [
      [day("2026-01-01"), day("2026-01-02")],
      ["A", "A"],
      ["007", "008"],
      [1.5, null],
      ["a, b", null],
    ]);
  }));

Deno.test("openFrame reads NDJSON, Parquet and Arrow by their first bytes", () =>
  inFolder(async (dir) => {
    const frame = pl.DataFrame({ project: ["A", "B"], fees: [1, 2.5] });
    for (const ending of ["ndjson", "parquet", "arrow"]) {
      await save(frame, `${dir}/t.${ending}`);
      const bytes = await Deno.readFile(`${dir}/t.${ending}`);
      await serving(() => new Response(bytes), async ({ url }) => {
        deepStrictEqual(cells(await openFrame(`${url}/x`, { citation }, direct)), cells(frame));
      });
    }
  }));

Deno.test("openFrame renames a column that would hide a member of the frame, with a notice", () =>
  serving(json([{ height: 1, block: 2 }, { height: 5, block: 2 }]), async ({ url }) => {
    const told = await hearing(async () => {
      const frame = await openFrame(url, { citation }, direct);
      deepStrictEqual([frame.height, frame.columns], [2, ["height_", "block"]]);
    });
    deepStrictEqual(told, [
      "openFrame: height: the column is named height_, because frames have a member height",
    ]);
  }));

Deno.test("openFrame: columns can state dtypes, and values of mixed types become texts", () =>
  serving(json([{ id: 7, list: ["a"], mixed: 1 }, { id: 8, list: [], mixed: "x" }]), async (
    { url },
  ) => {
    const frame = await openFrame(url, {
      citation,
      columns: { id: { dtype: "String" }, list: { dtype: "List(String)" } },
    }, direct);
    deepStrictEqual(dtypeNames(frame), ["String", "List(String)", "String"]);
    deepStrictEqual(frame.getColumn("mixed").toArray(), ["1", "x"]);
    await rejects(
      openFrame(url, { citation, columns: { id: { dtype: "Text" } } }, direct),
      /columns: dtype must be one such as String.*got "Text"/,
    );
  }));

Deno.test("openFrame caches without a key, sends nothing offline, and retries", () =>
  inFolder(async (dir) => {
    const flaky = (_: Request, count: number) =>
      count === 1
        ? new Response("busy", { status: 503, headers: { "retry-after": "0.01" } })
        : Response.json([{ a: 1 }]);
    await serving(flaky, async ({ url, requests }) => {
      const made = connect({ envFile: false, cache: { dir } });
      strictEqual(made.target, "sample");
      const told = await hearing(async () => {
        await openFrame(url, { citation }, made);
        await openFrame(url, { citation }, made);
      });
      deepStrictEqual(told, []);
      strictEqual(requests.length, 2);
      const offline = connect({ envFile: false, cache: { dir, mode: "offline" } });
      deepStrictEqual(cells(await openFrame(url, { citation }, offline)), [[1]]);
      await rejects(openFrame(`${url}/other`, { citation }, offline), CacheError);
      strictEqual(requests.length, 2);
    });
  }));

Deno.test("openFrame keeps an archive, and reads it as of a day", () =>
  inFolder(async (dir) => {
    await serving((_, count) => Response.json([{ a: count }]), async ({ url }) => {
      const cache = { dir } as const;
      await openFrame(url, { citation }, connect({ envFile: false, cache }));
      const moment = new Date();
      await new Promise((done) => setTimeout(done, 5));
      const again = connect({ envFile: false, cache: { ...cache, mode: "refresh" } });
      deepStrictEqual(cells(await openFrame(url, { citation }, again)), [[2]]);
      const asOf = connect({ envFile: false, cache: { dir, mode: "offline", asOf: moment } });
      deepStrictEqual(cells(await openFrame(url, { citation }, asOf)), [[1]]);
    });
  }));

Deno.test("openFrame does not cache a response that it cannot read", () =>
  inFolder((dir) =>
    serving((_, count) => count === 1 ? new Response("<html>") : Response.json([{ a: 1 }]), async (
      { url },
    ) => {
      const made = connect({ envFile: false, cache: { dir } });
      await rejects(openFrame(url, { citation }, made), /expected a table; got a page of HTML/);
      deepStrictEqual(cells(await openFrame(url, { citation }, made)), [[1]]);
    })
  ));

Deno.test("openFrame enters the lock file of the connection, and a changed table differs", () =>
  inFolder(async (dir) => {
    const file = `${dir}/data.lock`;
    await serving((_, count) => Response.json([{ a: count > 2 ? 2 : 1 }]), async ({ url }) => {
      const made = connect({ envFile: false, lock: file });
      const statusOf = (file: string) => {
        const rows = lockReport();
        const at = rows.getColumn("file").toArray().indexOf(file);
        return rows.getColumn("status").toArray()[at];
      };
      await openFrame(`${url}/?api_key=verysecretvalue`, { citation }, made);
      strictEqual(statusOf(file), "added");
      ok(!(await Deno.readTextFile(file)).includes("verysecret"));
      lockReport();
      await Deno.copyFile(file, `${dir}/old.lock`);
      const old = connect({ envFile: false, lock: `${dir}/old.lock` });
      await openFrame(url, { citation }, old);
      await openFrame(url, { citation }, old);
      strictEqual(statusOf(`${dir}/old.lock`), "differs");
      Deno.exitCode = 0;
    });
  }));

const SECRET = "s3cr3t-value-of-a-key";

Deno.test("openFrame hides secrets in provenance, side-car, cache and messages", () =>
  inFolder(async (dir) => {
    const answer = ({ url }: Request) =>
      url.includes("bad")
        ? new Response(`no such key: ${SECRET}`, { status: 403 })
        : Response.json([{ a: 1 }]);
    await serving(answer, async ({ url, requests }) => {
      for (
        const name of [
          "key",
          "api_key",
          "apikey",
          "token",
          "access_token",
          "sig",
          "X-Amz-Signature",
        ]
      ) {
        const made = connect({ envFile: false, cache: { dir: `${dir}/cache` } });
        const frame = await openFrame(`${url}/t?day=1&${name}=${SECRET}`, { citation }, made);
        ok(requests.at(-1)!.url.endsWith(`?day=1&${name}=${SECRET}`));
        strictEqual(provenanceOf(frame).kind, "given");
        strictEqual(
          (provenanceOf(frame) as { url: string }).url,
          `${url}/t?day=1&${name}=[hidden]`,
        );
        await save(frame, `${dir}/t.csv`, { force: true });
        await rejects(
          openFrame(`${url}/bad?${name}=${SECRET}`, { citation }, made),
          (error: Error) => {
            ok(!Deno.inspect(error, { depth: 9 }).includes(SECRET));
            match(error.message, /403/);
            return true;
          },
        );
      }
      const files = [...Deno.readDirSync(`${dir}/cache`)].map(({ name }) => `cache/${name}`);
      strictEqual(files.length, 14);
      for (const name of [...files, "t.csv.provenance.json"]) {
        ok(!name.includes(SECRET));
        ok(!(await Deno.readTextFile(`${dir}/${name}`)).includes(SECRET), name);
      }
    });
  }));

Deno.test("openFrame hides the parameters in secret, and a kept file is found by its digest", () =>
  inFolder((dir) =>
    serving(({ url }) => Response.json([{ a: url.slice(-1) }]), async ({ url }) => {
      const made = connect({ envFile: false, cache: { dir } });
      const open = (value: string) =>
        openFrame(`${url}/t?place=${value}`, { citation, secret: ["Place"] }, made);
      const [first, second] = [await open(`${SECRET}1`), await open(`${SECRET}2`)];
      const { url: hidden, file_sha256 } = provenanceOf(first) as {
        url: string;
        file_sha256: string;
      };
      strictEqual(hidden, `${url}/t?place=[hidden]`);
      strictEqual((provenanceOf(second) as { url: string }).url, hidden);
      for (const { name } of Deno.readDirSync(dir)) {
        ok(!Deno.readTextFileSync(`${dir}/${name}`).includes(SECRET), name);
      }
      const offline = connect({ envFile: false, cache: { dir, mode: "offline" } });
      const read = (address: string, sha256: string) =>
        fetchFile(address, { maxBytes: 1_000, secret: ["place"], sha256 }, offline);
      const { bytes, source } = await read(hidden, file_sha256);
      deepStrictEqual([new TextDecoder().decode(bytes), source], ['[{"a":"1"}]', "cache"]);
      await rejects(read(hidden, sha256("other")), CacheError);
      await rejects(read(`${url}/u?place=[hidden]`, file_sha256), CacheError);
      await rejects(open("x").then(() => openFrame(hidden, { citation, secret: [] }, made)), {
        message: /secret: must be a list of different names; got \[\]/,
      });
    })
  ));

Deno.test("openFrame keeps tables of different values of a parameter apart", () =>
  inFolder((dir) =>
    serving(({ url }) => Response.json([{ token: new URL(url).searchParams.get("token") }]), async (
      { url },
    ) => {
      const made = connect({ envFile: false, cache: { dir } });
      for (const token of ["eth", "usdc", "eth"]) {
        const frame = await openFrame(`${url}/?token=${token}`, { citation }, made);
        deepStrictEqual(cells(frame), [[token]]);
      }
    })
  ));

Deno.test("openFrame refuses passwords, plain http to other machines, and redirects to them", async () => {
  const refused = (address: string) => openFrame(address, { citation }, direct);
  await rejects(refused("https://me:pass@example.org/x"), (error: Error) => {
    strictEqual(
      error.message,
      "openFrame: path: must not contain a user name or a password; got https://example.org",
    );
    return true;
  });
  await rejects(refused("http://example.org/x?key=abcdef"), (error: Error) => {
    strictEqual(
      error.message,
      "openFrame: path: must be https, or http on a loopback address; got http://example.org",
    );
    return true;
  });
  const location = "http://example.org/t?X-Amz-Signature=0123456789abcdef";
  const redirect = () => new Response(null, { status: 302, headers: { location } });
  await serving(redirect, async ({ url }) => {
    await rejects(
      refused(url),
      /redirect \(302\): expected a URL of https; got http:\/\/example.org\/t\?X-Amz-Signature=\[hidden\]/,
    );
  });
});

Deno.test("openFrame follows redirects over https with the fetch of the connection, without a token", async () => {
  const sent: Request[] = [];
  const made = connect({
    envFile: false,
    baseUrl: "https://metrics.example.org",
    token: "our-own-token",
    fetch: (request) => {
      sent.push(request);
      const location = "https://files.example.net/t.csv?sig=abcdefgh";
      return Promise.resolve(
        sent.length === 1
          ? new Response(null, { status: 302, headers: { location } })
          : new Response("a\n1\n"),
      );
    },
  });
  const frame = await openFrame("https://data.example.org/t", { citation }, made);
  deepStrictEqual(cells(frame), [[1]]);
  deepStrictEqual(sent.map(({ url }) => url), [
    "https://data.example.org/t",
    "https://files.example.net/t.csv?sig=abcdefgh",
  ]);
  ok(sent.every(({ headers }) => !JSON.stringify([...headers]).includes("our-own-token")));
  strictEqual((provenanceOf(frame) as { url: string }).url, "https://data.example.org/t");
});

Deno.test("openFrame counts the bytes of a response after it is unpacked", async () => {
  const packed = new Blob(["a\n" + "1\n".repeat(50_000)]).stream()
    .pipeThrough(new CompressionStream("gzip"));
  const bytes = await new Response(packed).bytes();
  ok(bytes.length < 1_000);
  const answer = () => new Response(bytes, { headers: { "content-encoding": "gzip" } });
  await serving(answer, async ({ url }) => {
    const given = { citation, format: "csv" } as const;
    await rejects(
      openFrame(url, { ...given, maxBytes: 1_000 }, direct),
      /expected at most 1000 bytes/,
    );
    strictEqual((await openFrame(url, given, direct)).height, 50_000);
  });
});

Deno.test("openFrame limits the requests per minute of each origin, and reports the wait as progress", async () => {
  const clock = manualClock();
  const sent: [origin: string, at: number][] = [];
  const progress: unknown[] = [];
  const made = openConnection({
    envFile: false,
    baseUrl: "https://metrics.example.org",
    token: "our-own-token",
    requestsPerMinute: 2,
    onProgress: (each) => progress.push(each),
    fetch: ({ url }) => {
      sent.push([new URL(url).host, clock.elapsed()]);
      return Promise.resolve(new Response("a\n1\n"));
    },
  }, clock);
  const open = (url: string) => openFrame(url, { citation }, made);
  await open("https://a.example.org/1");
  await open("https://a.example.org/2");
  await open("https://b.example.org/1");
  deepStrictEqual(progress, []);
  await clock.finish(open("https://a.example.org/3"));
  deepStrictEqual(sent, [
    ["a.example.org", 0],
    ["a.example.org", 0],
    ["b.example.org", 0],
    ["a.example.org", 60_500],
  ]);
  const one = { operation: "openFrame", total: 1, attempt: 1, attempts: 5 };
  deepStrictEqual(progress, [
    { ...one, done: 0, waiting_ms: 60_500 },
    { ...one, done: 0, waiting_ms: 0 },
    { ...one, done: 1, waiting_ms: 0 },
  ]);
});

Deno.test("openFrame without a key sends 60 requests per minute to an origin", async () => {
  const clock = manualClock();
  const { fetch } = globalThis;
  const sent: number[] = [];
  globalThis.fetch = () => {
    sent.push(clock.elapsed());
    return Promise.resolve(new Response("a\n1\n"));
  };
  try {
    const made = openConnection({ envFile: false }, clock);
    const all = Array.from({ length: 61 }, (_, at) => `https://c.example.org/${at}`);
    await clock.finish(Promise.all(all.map((url) => openFrame(url, { citation }, made))));
  } finally {
    globalThis.fetch = fetch;
  }
  deepStrictEqual(sent, [...Array(60).fill(0), 60_500]);
});

Deno.test("openFrame names a host that Deno's permissions refuse, also after a redirect", () =>
  inFolder(async (dir) => {
    const away = () => Response.redirect("https://files.example.net/t.csv", 302);
    await serving(away, async ({ url }) => {
      const allowed = new URL(url).host;
      const code = `import { openFrame } from ${
        JSON.stringify(import.meta.resolve("../../lib/output/open_frame.ts"))
      };
        for (const address of ["https://data.example.org/t.csv", "${url}"]) {
          await openFrame(address, { citation: "x" })
            .catch(({ name, message }) => console.log(name, message));
        }`;
      await Deno.writeTextFile(`${dir}/main.ts`, code);
      const flags = ["--no-check", "--no-prompt", "--no-lock", "--allow-ffi", "--allow-sys"];
      const { stdout, stderr } = await runCommand(
        [
          ...[Deno.execPath(), "run", ...flags, "--allow-read", `--allow-net=${allowed}`],
          "main.ts",
        ],
        { cwd: dir },
      );
      const told = stdout.trim().split("\n");
      strictEqual(told.length, 2, stderr);
      for (const [at, host] of ["data.example.org", "files.example.net"].entries()) {
        ok(
          told[at]!.startsWith(
            `ConfigurationError openFrame: Deno does not allow it: Requires net access to "${host}:443"`,
          ),
          told[at],
        );
      }
    });
  }));

Deno.test("openFrame ends with the signal of the connection", () =>
  serving(json([]), async ({ url }) => {
    const made = connect({ envFile: false, signal: AbortSignal.abort(new Error("enough")) });
    await rejects(openFrame(url, { citation }, made), /enough/);
  }));

Deno.test("openFrame: an address needs a citation", async () => {
  await rejects(openFrame("https://example.org/t.csv"), /citation.*required/);
});

Deno.test("equal calls of openFrame at the same time share one request, and a wrong option keeps nothing", () =>
  inFolder((dir) =>
    serving(json([{ day: "2026-01-02", fees: 5 }]), async ({ url, requests }) => {
      const connection = connect({ envFile: false, cache: { dir } });
      const open = (options: object = {}) =>
        openFrame(`${url}/fees`, { citation, ...options }, connection);
      const wrong = { columns: { fees: { dtype: "Date" } } };
      const results = await Promise.allSettled([open(), open(wrong), open()]);
      deepStrictEqual(results.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
      strictEqual(requests.length, 1);
      await rejects(open(wrong), /expected Date/);
      strictEqual((await open()).height, 1);
      strictEqual(requests.length, 1);
      await openFrame(`${url}/fees`, { citation, maxBytes: 1e3 }, connection);
      strictEqual(requests.length, 1);
      await Promise.all([open(), openFrame(`${url}/other`, { citation }, connection)]);
      strictEqual(requests.length, 2);
    })
  ));
