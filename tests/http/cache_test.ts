import assert from "node:assert/strict";
import { ask } from "./ask.ts";
import { askEach } from "./ask.ts";
import type { CacheOptions, ConnectOptions } from "../../lib/http/settings.ts";
import { connect } from "../../lib/http/connect.ts";
import { settingsOf } from "../../lib/http/connect.ts";
import { CacheError } from "../../lib/http/errors.ts";
import { NotFoundError } from "../../lib/http/errors.ts";
import type { ApiRequest } from "../../lib/http/request.ts";
import { hearing } from "./hearing.ts";
import { manualClock } from "./manual_clock.ts";
import { data, failed, type Play, playing } from "./playing.ts";
import { BREAKDOWN, chains, QUESTION } from "./question.ts";
import { withEnvironment } from "./with_environment.ts";
import { cacheIn, entryOf } from "./write_forever.ts";
import { inFolder } from "../in_folder.ts";

const DAY = 86_400_000;
const START = Date.parse("2026-01-01T00:00:00Z");

function files(dir: string): string[] {
  return [...Deno.readDirSync(dir)].map(({ name }) => name).sort();
}

/** A new connection each time, so that nothing but the folder remembers. */
async function asking(
  dir: string,
  play: Play,
  cache: Partial<CacheOptions> = {},
  { day = 0, question = QUESTION, ...options }: ConnectOptions & {
    day?: number;
    question?: typeof QUESTION;
  } = {},
) {
  const clock = manualClock(() => 0.5, START + day * DAY);
  const made = playing(play, { cache: { dir, ...cache }, ...options }, clock);
  const [answer] = await clock.finish(ask(question, made.connection));
  return { answer: answer!, sent: made.sent.length };
}

const unasked: Play = () => {
  throw new Error("must not be asked");
};

Deno.test("a response is stored, and the next connection reads it without a request", () =>
  inFolder(async (dir) => {
    const first = await asking(dir, () => data([{ chain_id: "alder" }]));
    const second = await asking(dir, unasked, {}, { day: 400 });
    assert.equal(first.answer.source, "service");
    const { body, redact, data: kept } = second.answer;
    assert.deepEqual(second, {
      sent: 0,
      answer: { ...first.answer, source: "cache", attempts: 0, body, redact, data: kept },
    });
    assert.equal(body(), first.answer.body());
    assert.deepEqual(kept, first.answer.data);
  }));

/** The files of a cache with one request: the body, and the lines of headers. */
function only(dir: string) {
  const [body = "", log = ""] = files(dir).map((name) => `${dir}/${name}`);
  const headers = Deno.readTextFileSync(log).split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  return { body, log, headers };
}

Deno.test("an entry is a line of headers and the unchanged body, as plain files", () =>
  inFolder(async (dir) => {
    await asking(dir, () => new Response('{ "data" : [1.50] }\n', { headers: { etag: '"v1"' } }));
    const { body, log, headers } = only(dir);
    assert.match(body, /\/blockchain_comparison-[0-9a-f]{32}\.7877d670fa59dc2a\.body\.json$/);
    assert.match(log, /\/blockchain_comparison-[0-9a-f]{32}\.jsonl$/);
    assert.equal(Deno.readTextFileSync(body), '{ "data" : [1.50] }\n');
    assert.deepEqual(headers, [{
      chainframe_cache: 2,
      operation: "blockchain_comparison",
      base_url: "http://127.0.0.1:9",
      method: "GET",
      url: "http://127.0.0.1:9/v2/datasets/blockchain_comparison",
      body: null,
      status: 200,
      retrieved_at: "2026-01-01T00:00:00.000Z",
      checked_at: "2026-01-01T00:00:00.000Z",
      data_through: null,
      data_since: null,
      data_sample: false,
      etag: '"v1"',
      renamed: [],
      // printf '{ "data" : [1.50] }\n' | sha256sum
      sha256: "7877d670fa59dc2ab708995e1e87f6b7d6ca26eab49a1d492f4d9d5616020831",
    }]);
  }));

Deno.test("the key is the request and the address, without the token", () =>
  inFolder(async (dir) => {
    await asking(dir, () => data([]), {}, { token: "one-token" });
    await asking(dir, unasked, {}, { token: "another-token" });
    const others: [string, Parameters<typeof asking>[3]][] = [
      ["another list", { question: chains(["a"]) }],
      ["another order of the list", { question: chains(["b", "a"]) }],
      ["a body", { question: BREAKDOWN }],
      ["another body", { question: { ...BREAKDOWN, body: { metric_ids: ["tvl"] } } }],
      ["another host", { baseUrl: "http://127.0.0.2:9" }],
      ["another path", { baseUrl: "http://127.0.0.1:9/base" }],
    ];
    for (const [what, options] of others) {
      assert.equal((await asking(dir, () => data([]), {}, options)).sent, 1, what);
      assert.equal((await asking(dir, unasked, {}, options)).sent, 0, what);
    }
    assert.equal(files(dir).length, 14);
  }));

Deno.test("maxAge limits the age of responses, and refresh requests everything", () =>
  inFolder(async (dir) => {
    const play: Play = () => data([]);
    const sent = async (cache: Partial<CacheOptions>, day: number) =>
      (await asking(dir, play, cache, { day })).sent;
    assert.equal(await sent({}, 0), 1);
    assert.equal(await sent({ maxAge: 5 * DAY }, 4), 0);
    assert.equal(await sent({ maxAge: 5 * DAY }, 5), 1);
    assert.equal(await sent({ maxAge: 5 * DAY }, 9), 0);
    assert.equal(await sent({ maxAge: 0 }, 9), 1);
    assert.equal(await sent({ mode: "refresh" }, 9), 1);
    // Kept on day 9, seen from day 2: its age is not to be trusted.
    assert.equal(await sent({ maxAge: 5 * DAY }, 2), 1);
  }));

Deno.test("a changed response is used in place of the previous one, which is kept", () =>
  inFolder(async (dir) => {
    await asking(dir, () => data([1]));
    await asking(dir, () => data([2]), { mode: "refresh" });
    assert.deepEqual((await asking(dir, unasked)).answer.data, [2]);
    assert.equal(files(dir).length, 3);
  }));

Deno.test("a stale response with an ETag is revalidated, and a 304 has no body", () =>
  inFolder(async (dir) => {
    const tags: (string | null)[] = [];
    const play: Play = (request) => {
      const tag = request.headers.get("if-none-match");
      tags.push(tag);
      return tag === 'W/"v1"' ? new Response(null, { status: 304 }) : data([1], { etag: 'W/"v1"' });
    };
    await asking(dir, play);
    const again = await asking(dir, play, { maxAge: DAY }, { day: 2 });
    assert.deepEqual([again.answer.data, again.answer.source, again.answer.attempts], [
      [1],
      "cache",
      1,
    ]);
    assert.equal(again.answer.retrieved_at.getTime(), START);
    // It was checked on day 2, so on day 2.5 it is fresh.
    assert.equal((await asking(dir, unasked, { maxAge: DAY }, { day: 2.5 })).sent, 0);
    await asking(dir, play, { mode: "refresh" }, { day: 2.5 });
    assert.deepEqual(tags, [null, 'W/"v1"', null]);
  }));

Deno.test("the days of the data are stored, and a 304 may update them", () =>
  inFolder(async (dir) => {
    const play: Play = (_, count) =>
      count === 1
        ? data([1], { etag: '"v1"', "data-through": "2025-12-30", "data-since": "2024-02-29" })
        : new Response(null, { status: 304, headers: { "data-through": "2025-12-31" } });
    const days = async (cache: Partial<CacheOptions>, played: Play, day: number) => {
      const { answer } = await asking(dir, played, cache, { day });
      return [answer.data_through, answer.data_since].map((date) => date?.toISOString());
    };
    const since = "2024-02-29T00:00:00.000Z";
    const first = ["2025-12-30T00:00:00.000Z", since];
    assert.deepEqual(await days({}, play, 0), first);
    assert.deepEqual(await days({}, unasked, 1), first);
    const later: Play = (request) => play(request, 2);
    assert.deepEqual(await days({ maxAge: 0 }, later, 2), ["2025-12-31T00:00:00.000Z", since]);
    assert.deepEqual(await days({}, unasked, 3), ["2025-12-31T00:00:00.000Z", since]);
    const { data_through, data_since } = only(dir).headers.at(-1);
    assert.deepEqual([data_through, data_since], ["2025-12-31T00:00:00.000Z", since]);
  }));

Deno.test("an invalid day is null", async () => {
  for (const text of ["", "yesterday", "2026-02-29", "2026-1-1", "2026-01-01T00:00:00Z"]) {
    await inFolder(async (dir) => {
      const { answer } = await asking(dir, () => data([], { "data-through": text }));
      assert.equal(answer.data_through, null, text);
    });
  }
});

Deno.test("offline reads the cache at any age, and throws a CacheError for other requests", () =>
  inFolder(async (dir) => {
    await asking(dir, () => data([1]));
    const offline = { mode: "offline", maxAge: 1 } as const;
    assert.deepEqual((await asking(dir, unasked, offline, { day: 9_999 })).answer.data, [1]);
    await assert.rejects(asking(dir, unasked, offline, { question: chains(["a"]) }), (error) => {
      assert.ok(error instanceof CacheError);
      assert.equal(
        error.message,
        `blockchain_comparison: offline, and the cache in ${dir} has no intact response: ` +
          "http://127.0.0.1:9/v2/datasets/blockchain_comparison?chain_ids=a",
      );
      assert.equal(error.attempts, 0);
      return true;
    });
  }));

Deno.test("a damaged, foreign or half-written entry is a miss, and is replaced", async () => {
  const damages: [string, (header: string, body: string) => void][] = [
    ["no header", (header) => Deno.removeSync(header)],
    ["no answer", (_, body) => Deno.removeSync(body)],
    ["empty header", (header) => Deno.writeTextFileSync(header, "")],
    ["empty answer", (_, body) => Deno.writeTextFileSync(body, "")],
    ["half a header", (header) => Deno.truncateSync(header, 200)],
    ["half an answer", (_, body) => Deno.truncateSync(body, 8)],
    ["another digit in the answer", (_, body) => Deno.writeTextFileSync(body, '{"data":[2]}')],
    ["a header of null", (header) => Deno.writeTextFileSync(header, "null")],
    ["a header of a list", (header) => Deno.writeTextFileSync(header, "[]")],
    ["a file of another program", (header) => Deno.writeTextFileSync(header, '{"name":"x"}')],
  ];
  const changes: [string, unknown][] = [
    ["chainframe_cache", 1],
    ["url", "http://127.0.0.1:9/v2/other"],
    ["method", "POST"],
    ["status", 500],
    ["body", {}],
    ["retrieved_at", "yesterday"],
    ["checked_at", null],
    ["renamed", [{ from: 1 }]],
    ["sha256", "../../../etc/passwd"],
    ["sha256", "0".repeat(64)],
  ];
  for (const [name, value] of changes) {
    damages.push([`${name}: ${value}`, (header) => {
      const noted = JSON.parse(Deno.readTextFileSync(header));
      Deno.writeTextFileSync(header, JSON.stringify({ ...noted, [name]: value }));
    }]);
  }
  for (const [what, damage] of damages) {
    await inFolder(async (dir) => {
      await asking(dir, () => data([1]));
      const { body, log } = only(dir);
      damage(log, body);
      const told = await hearing(async () => {
        assert.equal((await asking(dir, () => data([1]))).sent, 1, what);
        assert.equal((await asking(dir, unasked)).sent, 0, `${what}: was not replaced`);
      });
      assert.deepEqual(told, [], what);
    });
  }
});

Deno.test("only successful responses are stored", () =>
  inFolder(async (dir) => {
    const bad: Play[] = [
      () => failed(404),
      () => failed(401),
      () => new Response('{"data":['),
      () => new Response("<html>"),
      () => Response.json({ error: "x" }),
      () => Response.json({ data: [] }, { status: 203 }),
    ];
    for (const play of bad) await assert.rejects(asking(dir, play));
    assert.deepEqual(files(dir), []);
  }));

Deno.test("an unusable folder gives one warning and loses no response", () =>
  inFolder(async (dir) => {
    Deno.writeTextFileSync(`${dir}/file`, "");
    const { connection, clock } = playing(() => data([]), {
      cache: { dir: `${dir}/file/folder` },
      maxUrlLength: 1,
    });
    const told = await hearing(async () => {
      const ids = ["a", "b", "c", "d", "e", "f", "g", "h"];
      assert.equal((await clock.finish(ask(chains(ids), connection))).length, 8);
      await clock.finish(ask(QUESTION, connection));
    });
    assert.equal(told.length, 1);
    assert.match(
      told[0]!,
      /^chainframe: the cache in .*\/file\/folder cannot be used: ENOTDIR: not a directory/,
    );
  }));

Deno.test({
  name: "a folder without permission gives one warning and loses no response",
  permissions: { read: false, write: false, env: false },
  fn: async () => {
    const told = await hearing(async () => {
      await asking("answers", () => data([]));
    });
    assert.equal(told.length, 1);
    assert.match(
      told[0]!,
      /^chainframe: the cache in answers cannot be used: Requires read access/,
    );
  },
});

Deno.test("parts received before a failure are in the cache", () =>
  inFolder(async (dir) => {
    const failing: Play = (request) => request.url.endsWith("d") ? failed(402) : data(["part"]);
    const options = { cache: { dir }, maxUrlLength: 1, concurrency: 1 };
    const first = playing(failing, options);
    const question = chains(["a", "b", "c", "d", "e"]);
    await assert.rejects(first.clock.finish(ask(question, first.connection)));
    const second = playing(() => data(["part"]), options);
    const answers = await second.clock.finish(ask(question, second.connection));
    assert.deepEqual(answers.map(({ source }) => source), [
      "cache",
      "cache",
      "cache",
      "service",
      "service",
    ]);
  }));

Deno.test("renamed is stored with the response", () =>
  inFolder(async (dir) => {
    await hearing(async () => {
      const play: Play = (_, count) => count === 1 ? failed(308, { location: "/v2/b" }) : data([]);
      await asking(dir, play);
    });
    const told = await hearing(async () => {
      assert.deepEqual((await asking(dir, unasked)).answer.renamed, [
        { from: "/v2/datasets/blockchain_comparison", to: "/v2/b" },
      ]);
    });
    assert.equal(told.length, 1);
  }));

Deno.test("a response that contains the token is returned and not stored", () =>
  inFolder(async (dir) => {
    const told = await hearing(async () => {
      const { answer } = await asking(dir, () => data(["s3cret-token"]));
      assert.deepEqual(answer.data, ["s3cret-token"]);
      assert.ok(!answer.body().includes("s3cret"));
      await asking(dir, () => data([], { etag: '"s3cret-token"' }));
    });
    assert.ok(
      files(dir).every((name) => !Deno.readTextFileSync(`${dir}/${name}`).includes("s3cret")),
    );
    assert.equal(told.length, 2);
    assert.match(told[0]!, /not stored in the cache, because the response contains the token/);
  }));

Deno.test("a response that is replaced during a read is read again", () =>
  inFolder(async (dir) => {
    const cache = cacheIn(dir);
    const entries = await Promise.all(["a", "b"].map((letter) => entryOf(letter)));
    await cache.write(QUESTION, entries[0]!);
    let writing = true;
    let missed = 0;
    const writer = (async () => {
      for (let count = 1; writing; count++) await cache.write(QUESTION, entries[count % 2]!);
    })();
    for (let count = 0; count < 1_000; count++) {
      if (await cache.read(QUESTION) === null) missed++;
    }
    writing = false;
    await writer;
    assert.equal(missed, 0);
  }));

Deno.test("a pipe in the folder is ignored without waiting", () =>
  inFolder(async (dir) => {
    await asking(dir, () => data([1]));
    for (const name of files(dir)) {
      Deno.removeSync(`${dir}/${name}`);
      assert.ok((await new Deno.Command("mkfifo", { args: [`${dir}/${name}`] }).output()).success);
      const told = await hearing(async () => {
        assert.equal((await asking(dir, () => data([1]))).sent, 1);
      });
      assert.equal(told.length, 1);
      assert.match(told[0]!, /cannot be used: (path: must be a file|ENXIO)/);
      Deno.removeSync(`${dir}/${name}`);
      await asking(dir, () => data([1]));
    }
    await new Deno.Command("mkfifo", { args: [`${dir}/a-pipe.jsonl`] }).output();
    const connection = connect({ cache: { dir, mode: "offline" } });
    assert.equal((await ask(QUESTION, connection))[0]?.source, "cache");
  }));

Deno.test("a link in the folder is replaced, and its target stays as it is", () =>
  inFolder(async (root) => {
    const [real, dir] = [`${root}/real`, `${root}/folder`];
    Deno.mkdirSync(real);
    // The folder of the cache may be a link.
    Deno.symlinkSync(real, dir);
    const play: Play = (request) =>
      request.headers.has("if-none-match")
        ? new Response(null, { status: 304 })
        : data([1], { etag: '"v1"' });
    const confirming = (day: number) => asking(dir, play, { maxAge: 0 }, { day });
    await asking(dir, play);
    await confirming(1);
    const names = files(real);
    assert.equal(names.length, 2, names.join());
    for (const target of ["mine", "missing", "loop"]) {
      for (const name of names) {
        Deno.removeSync(`${real}/${name}`);
        const path = `${real}/${name}`;
        Deno.symlinkSync(target === "loop" ? path : `${root}/${target}`, path);
      }
      if (target === "mine") Deno.writeTextFileSync(`${root}/mine`, "precious");
      const told = await hearing(async () => {
        await asking(dir, play, { mode: "refresh" });
        await confirming(1);
        await confirming(2);
      });
      assert.deepEqual(told, []);
      assert.equal(Deno.readTextFileSync(`${root}/mine`), "precious");
      assert.throws(() => Deno.lstatSync(`${root}/missing`), Deno.errors.NotFound);
      for (const name of names) assert.ok(Deno.lstatSync(`${real}/${name}`).isFile, name);
      assert.equal((await asking(dir, unasked, { maxAge: DAY }, { day: 2.5 })).sent, 0);
    }
  }));

Deno.test("an ETag that cannot be sent, or that was modified, is ignored", () =>
  inFolder(async (dir) => {
    await asking(dir, () => data([1], { etag: `"${"x".repeat(2_000)}"` }));
    const { log, headers: [header] } = only(dir);
    for (const etag of [header.etag, "a\nb", "\u2028", "x".repeat(100_000), "", 5.5e300]) {
      Deno.writeTextFileSync(log, JSON.stringify({ ...header, etag }));
      const { sent, answer } = await asking(
        dir,
        (request) => {
          assert.equal(request.headers.get("if-none-match"), etag === 5.5e300 ? "5.5e+300" : null);
          return data([2]);
        },
        { maxAge: 0 },
        { day: 1 },
      );
      assert.deepEqual([sent, answer.attempts, answer.data], [1, 1, [2]]);
    }
  }));

Deno.test("a missing project is stored for offline use, and requested again otherwise", () =>
  inFolder(async (dir) => {
    const questions = ["a", "ghost", "b"].map((id): ApiRequest => ({
      ...QUESTION,
      operation: "project",
      path: `/v2/projects/${id}`,
    }));
    const play: Play = ({ url }) => url.endsWith("ghost") ? failed(404) : data({});
    for (const [mode, sent] of [["use", 3], ["use", 1], ["offline", 0]] as const) {
      const made = playing(play, { cache: { dir, mode } });
      const [a, ghost, b] = await made.clock.finish(askEach(questions, made.connection));
      assert.ok(!(a instanceof Error) && !(b instanceof Error));
      assert.ok(ghost instanceof NotFoundError);
      assert.equal(ghost.message, "project: the service answered 404: because");
      assert.equal(made.sent.length, sent, mode);
    }
  }));

Deno.test("offline needs neither address nor token: the cache has the address", () =>
  inFolder(async (dir) => {
    await withEnvironment({}, async () => {
      const offline = () => connect({ cache: { dir, mode: "offline" } });
      await assert.rejects(ask(QUESTION, offline()), { name: "CacheError" });
      assert.throws(() => connect({ cache: { dir: `${dir}/none`, mode: "offline" } }), {
        name: "CacheError",
        message: `cache.dir: offline requires a readable folder; got ${dir}/none`,
      });
      await asking(dir, () => data([1]));
      Deno.writeTextFileSync(`${dir}/notes.jsonl`, "{}");
      const [answer] = await ask(QUESTION, offline());
      assert.deepEqual([answer?.data, answer?.source], [[1], "cache"]);
      assert.equal(offline().baseUrl, "http://127.0.0.1:9");
      assert.equal(offline().target, "service");

      await asking(dir, () => data([1]), {}, { baseUrl: "https://api.example.org" });
      assert.throws(offline, {
        name: "ConfigurationError",
        message: "baseUrl: is required, because the cache has responses of several services: " +
          "http://127.0.0.1:9, https://api.example.org",
      });
      const named = connect({
        baseUrl: "https://api.example.org",
        cache: { dir, mode: "offline" },
      });
      assert.equal((await ask(QUESTION, named))[0]?.source, "cache");
    });
  }));

Deno.test("sample data is stored only with allowSample, and an unused cache gives a notice", () =>
  withEnvironment({}, async () => {
    const told = await hearing(async () => {
      const connection = connect({ cache: { dir: "answers" } });
      assert.equal(settingsOf(connection).cache, null);
      assert.equal(settingsOf(connection).requestsPerMinute, Infinity);
      assert.equal(settingsOf(connect({ requestsPerMinute: 30 })).requestsPerMinute, 30);
      const allowed = connect({ cache: { dir: "answers" }, allowSample: true });
      assert.equal(settingsOf(allowed).cache?.dir, "answers");
      for (let call = 0; call < 2; call++) await ask(QUESTION, connection);
    });
    assert.deepEqual(told.filter((line) => line.includes("cache")), [
      "chainframe: the cache in answers is not used for sample data. To store sample data, pass " +
      'allowSample: true. To read the responses in it, connect with cache mode "offline".',
    ]);
  }));
