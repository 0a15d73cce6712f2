import assert from "node:assert/strict";
import fc from "fast-check";
import { ask } from "./ask.ts";
import type { CacheOptions, ConnectOptions } from "../../lib/http/options.ts";
import { connect } from "../../lib/http/connect.ts";
import { CacheError, NotFoundError } from "../../lib/http/errors.ts";
import type { ApiRequest } from "../../lib/http/request.ts";
import { cacheIn, entryOf } from "./write_forever.ts";
import { manualClock } from "./manual_clock.ts";
import { data, failed, type Play, playing } from "./playing.ts";
import { BREAKDOWN, chains, QUESTION } from "./question.ts";
import { inFolder } from "../in_folder.ts";

const HOUR = 3_600_000;

/** The names of the files of a folder, without what is the same in all of them. */
function files(dir: string): string[] {
  return [...Deno.readDirSync(dir)]
    .map(({ name }) => name.replace(/-[0-9a-f]{32}/, "").replace(/\.[0-9a-f]{16}\./, ".#."))
    .sort();
}

/** A new connection each time, at a moment, to a service that answers with this. */
async function asked(
  dir: string,
  [moment, answer]: readonly [string, unknown],
  { question = QUESTION, ...cache }: Partial<CacheOptions> & { question?: ApiRequest } = {},
) {
  const clock = manualClock(() => 0.5, Date.parse(moment));
  const play: Play = () => answer instanceof Response ? answer : data(answer);
  const options: ConnectOptions = { cache: { dir, maxAge: 0, keep: "all", ...cache } };
  const { connection } = playing(play, options, clock);
  return await clock.finish(ask(question, connection));
}

/** The folder's response as of a moment. */
async function asOf(dir: string, moment: string | Date, question: ApiRequest = QUESTION) {
  const { connection } = playing(
    () => {
      throw new Error("must not be asked");
    },
    { cache: { dir, mode: "offline", asOf: moment } },
  );
  const [answer] = await ask(question, connection);
  return answer!;
}

Deno.test("an archive stores every response that differs from the previous one, equal bytes once", () =>
  inFolder(async (dir) => {
    for (const [day, answer] of [["01", "A"], ["02", "A"], ["03", "B"], ["04", "A"], ["05", "A"]]) {
      await asked(dir, [`2026-06-${day}T08:00:00.123Z`, answer]);
    }
    assert.deepEqual(files(dir), [
      "blockchain_comparison.#.body.json",
      "blockchain_comparison.#.body.json",
      "blockchain_comparison.20260601T080000.123Z.#.json",
      "blockchain_comparison.20260603T080000.123Z.#.json",
      "blockchain_comparison.20260604T080000.123Z.#.json",
      "blockchain_comparison.json",
    ]);
    const headers = [...Deno.readDirSync(dir)].map(({ name }) => name).sort()
      .filter((name) => !name.endsWith(".body.json"))
      .map((name) => JSON.parse(Deno.readTextFileSync(`${dir}/${name}`)));
    assert.deepEqual(headers.map(({ retrieved_at }) => retrieved_at), [
      "2026-06-01T08:00:00.123Z",
      "2026-06-03T08:00:00.123Z",
      "2026-06-04T08:00:00.123Z",
      "2026-06-05T08:00:00.123Z",
    ]);
    // The newest header is that of the last retrieval, as it is without an archive.
    const { retrieved_at: _, checked_at: __, ...first } = headers[0];
    const { retrieved_at: ___, checked_at: ____, ...last } = headers[3];
    assert.deepEqual(first, last);
  }));

Deno.test("asOf returns the newest response retrieved by then, never a later one", () =>
  inFolder(async (dir) => {
    for (const [day, answer] of [["01", "A"], ["03", "B"], ["04", "A"], ["06", "A"]]) {
      await asked(dir, [`2026-06-${day}T08:00:00.000Z`, answer]);
    }
    const cases: [moment: string | Date, data: string, retrieved: string][] = [
      ["2026-06-01", "A", "01"],
      ["2026-06-02", "A", "01"],
      ["2026-06-03T07:59:59.999Z", "A", "01"],
      ["2026-06-03T08:00:00.000Z", "B", "03"],
      ["2026-06-03T10:00:00+02:00", "B", "03"],
      ["2026-06-03T09:59+02:00", "A", "01"],
      ["2026-06-03", "B", "03"],
      [new Date("2026-06-04T07:00:00Z"), "B", "03"],
      ["2026-06-05", "A", "04"],
      ["2030-01-01", "A", "06"],
    ];
    for (const [moment, data, day] of cases) {
      const answer = await asOf(dir, moment);
      assert.deepEqual(
        [answer.data, answer.retrieved_at.toISOString(), answer.source],
        [data, `2026-06-${day}T08:00:00.000Z`, "cache"],
        String(moment),
      );
    }
    await assert.rejects(asOf(dir, "2026-05-31"), (error: Error) => {
      assert.ok(error instanceof CacheError);
      assert.equal(
        error.message,
        `blockchain_comparison: offline as of 2026-05-31T23:59:59.999Z, and the first response in the cache in ${dir} was retrieved 2026-06-01T08:00:00.000Z: http://127.0.0.1:9/v2/datasets/blockchain_comparison`,
      );
      return true;
    });
    await assert.rejects(asOf(dir, "2030-01-01", BREAKDOWN), /the response is not in the cache/);
  }));

Deno.test("a stored 404 is replayed on its days, and redirects as recorded", async () => {
  const question: ApiRequest = {
    operation: "project",
    method: "GET",
    path: "/v2/projects/old",
    params: {},
    body: null,
  };
  await inFolder(async (dir) => {
    const gone = failed(404);
    await asked(dir, ["2026-06-01T00:00:00Z", "there"], { question });
    await assert.rejects(asked(dir, ["2026-06-02T00:00:00Z", gone], { question }), NotFoundError);
    const clock = manualClock(() => 0.5, Date.parse("2026-06-03T00:00:00Z"));
    const play: Play = (request) =>
      request.url.endsWith("/old")
        ? new Response(null, { status: 308, headers: { location: "/v2/projects/new" } })
        : data("renamed");
    const { connection } = playing(play, { cache: { dir, maxAge: 0, keep: "all" } }, clock);
    await clock.finish(ask(question, connection));

    assert.equal((await asOf(dir, "2026-06-01", question)).data, "there");
    await assert.rejects(asOf(dir, "2026-06-02", question), NotFoundError);
    const { data: found, renamed } = await asOf(dir, "2026-06-03", question);
    assert.equal(found, "renamed");
    assert.deepEqual(renamed.map(({ to }) => to.replace(/^.*\/v2/, "/v2")), ["/v2/projects/new"]);
  });
});

Deno.test("entries of a cache without versions become the first version of the archive", () =>
  inFolder(async (dir) => {
    await asked(dir, ["2026-06-01T00:00:00Z", "A"], { keep: "newest" });
    await asked(dir, ["2026-06-02T00:00:00Z", "B"], { keep: "newest" });
    assert.equal(files(dir).length, 2);
    await asked(dir, ["2026-06-03T00:00:00Z", "C"]);
    assert.equal((await asOf(dir, "2026-06-02")).data, "B");
    assert.equal((await asOf(dir, "2026-06-03")).data, "C");
    await assert.rejects(asOf(dir, "2026-06-01"), CacheError);
  }));

Deno.test("a folder that holds an archive remains one for every connection", async () => {
  await inFolder(async (dir) => {
    await asked(dir, ["2026-06-01T00:00:00Z", "A"]);
    const clock = manualClock(() => 0.5, Date.parse("2026-06-02T00:00:00Z"));
    let answer = "B";
    // This one looked at the folder before another question began the archive of it.
    const { connection } = playing(() => data(answer), { cache: { dir, maxAge: 0 } }, clock);
    await clock.finish(ask(QUESTION, connection));
    answer = "C";
    await clock.finish(ask(chains(["a"]), connection));
    for (const [moment, found] of [["2026-06-01", "A"], ["2026-06-02", "B"]] as const) {
      assert.equal((await asOf(dir, moment)).data, found);
    }
  });
  await inFolder(async (dir) => {
    const clock = manualClock(() => 0.5, Date.parse("2026-06-01T00:00:00Z"));
    let answer = "A";
    const { connection } = playing(() => data(answer), { cache: { dir, maxAge: 0 } }, clock);
    await clock.finish(ask(QUESTION, connection));
    await asked(dir, ["2026-06-02T00:00:00Z", "B"]);
    answer = "C";
    await clock.finish(ask(QUESTION, connection));
    const bodies = [...Deno.readDirSync(dir)].filter(({ name }) => name.endsWith(".body.json"));
    assert.equal(bodies.length, 3);
    assert.equal((await asOf(dir, "2026-06-02")).data, "B");
  });
});

Deno.test("removing leftovers removes no response of an archive", () =>
  inFolder(async (dir) => {
    for (const [day, answer] of [["01", "A"], ["02", "B"], ["03", "C"]]) {
      await asked(dir, [`2026-06-${day}T00:00:00Z`, answer]);
    }
    const stem = [...Deno.readDirSync(dir)].map(({ name }) => name)
      .find((name) => /^[^.]+\.json$/.test(name))!.replace(/\.json$/, "");
    const left = `${stem}.0123456789abcdef.body.json`;
    Deno.writeTextFileSync(`${dir}/${left}`, "no header names this");
    const old = new Date(Date.now() - 48 * HOUR);
    const before = files(dir);
    for (const { name } of Deno.readDirSync(dir)) await Deno.utime(`${dir}/${name}`, old, old);
    for (const keep of ["newest", "all"] as const) {
      await asked(dir, [new Date().toISOString(), keep], { keep, question: chains([keep]) });
    }
    const mine = [...Deno.readDirSync(dir)].filter(({ name }) => name.startsWith(stem));
    assert.equal(mine.length, before.length - 1, "the leftover alone is gone");
    for (const [day, answer] of [["01", "A"], ["02", "B"], ["03", "C"]]) {
      assert.equal((await asOf(dir, `2026-06-${day}`)).data, answer);
    }
  }));

Deno.test("permanent headers never change, and one with a wrong time is refused", () =>
  inFolder(async (dir) => {
    await asked(dir, ["2026-06-01T00:00:00Z", "A"]);
    await asked(dir, ["2026-06-02T00:00:00Z", "B"]);
    const [first, second] = [...Deno.readDirSync(dir)].map(({ name }) => name).sort()
      .filter((name) => /\.2026/.test(name)) as [string, string];
    const text = Deno.readTextFileSync(`${dir}/${first}`);
    // The clock is set back, and the same response comes at the very same moment again.
    await asked(dir, ["2026-06-01T00:00:00Z", "A"]);
    assert.equal(Deno.readTextFileSync(`${dir}/${first}`), text);
    const later = second.replace("20260602", "20260501");
    await Deno.rename(`${dir}/${second}`, `${dir}/${later}`);
    await assert.rejects(asOf(dir, "2026-05-15"), CacheError);
  }));

Deno.test("a damaged version is reported, and no older one replaces it", () =>
  inFolder(async (dir) => {
    await asked(dir, ["2026-06-01T00:00:00Z", "A"]);
    await asked(dir, ["2026-06-02T00:00:00Z", "B"]);
    await asked(dir, ["2026-06-03T00:00:00Z", "C"]);
    for (const { name } of Deno.readDirSync(dir)) {
      if (!name.endsWith(".body.json")) continue;
      if (Deno.readTextFileSync(`${dir}/${name}`).includes("B")) {
        Deno.writeTextFileSync(`${dir}/${name}`, '{"data":"X"}');
      }
    }
    await assert.rejects(asOf(dir, "2026-06-02"), /its response is damaged/);
    assert.equal((await asOf(dir, "2026-06-01")).data, "A");
    assert.equal((await asOf(dir, "2026-06-03")).data, "C");
  }));

Deno.test("a confirmation (304) is appended and changes no header of an archive", () =>
  inFolder(async (dir) => {
    await asked(dir, [
      "2026-06-01T00:00:00Z",
      Response.json({ data: "A" }, { headers: { etag: '"a"' } }),
    ]);
    const before = files(dir);
    const headers = () =>
      [...Deno.readDirSync(dir)].map(({ name }) => name).filter((name) => name.endsWith(".json"))
        .sort().map((name) => Deno.readTextFileSync(`${dir}/${name}`));
    const texts = headers();
    await asked(dir, ["2026-06-02T00:00:00Z", new Response(null, { status: 304 })]);
    assert.deepEqual(headers(), texts);
    assert.deepEqual(files(dir).filter((name) => !before.includes(name)), [
      "blockchain_comparison.confirmed.jsonl",
    ]);
    assert.equal((await asOf(dir, "2026-06-01")).data, "A");
  }));

Deno.test("asOf ignores later confirmations", () =>
  inFolder(async (dir) => {
    const headers = (through: string) => ({ etag: '"a"', "data-through": through });
    await asked(dir, [
      "2026-06-16T00:00:00Z",
      Response.json({ data: "A" }, { headers: headers("2026-06-15") }),
    ]);
    const confirm = async (moment: string, through: string) =>
      await asked(dir, [moment, new Response(null, { status: 304, headers: headers(through) })]);
    await confirm("2026-06-20T12:00:00Z", "2026-06-19");
    await confirm("2026-07-01T12:00:00Z", "2026-06-30");
    const known = async (day: string) => {
      const { checked_at, data_through } = await asOf(dir, day);
      return [checked_at, data_through].map((date) => date?.toISOString().slice(0, 10));
    };
    assert.deepEqual(await known("2026-06-18"), ["2026-06-16", "2026-06-15"]);
    assert.deepEqual(await known("2026-06-20"), ["2026-06-20", "2026-06-19"]);
    assert.deepEqual(await known("2026-07-02"), ["2026-07-01", "2026-06-30"]);
  }));

Deno.test("two writers at once lose nothing", () =>
  inFolder(async (dir) => {
    const write = async (side: string) => {
      const cache = cacheIn(dir, "all");
      for (let count = 0; count < 40; count++) {
        await cache.write(QUESTION, await entryOf(JSON.stringify({ data: `${side} ${count}` })));
      }
    };
    await Promise.all([write("one"), write("other")]);
    const bodies = [...Deno.readDirSync(dir)].filter(({ name }) => name.endsWith(".body.json"));
    assert.equal(bodies.length, 80);
    const cache = cacheIn(dir, "all");
    const named = new Set<string>();
    for (const { name } of Deno.readDirSync(dir)) {
      if (!/\.\d{8}T/.test(name)) continue;
      named.add(JSON.parse(Deno.readTextFileSync(`${dir}/${name}`)).answer);
    }
    assert.deepEqual([...named].sort(), bodies.map(({ name }) => name).sort());
    assert.ok((await cache.times(QUESTION)).length > 1);
  }));

/** A retrieval: how far the clock jumps before it, in minutes, and what is answered. */
const arbitraryRetrievals = fc.array(
  fc.tuple(fc.integer({ min: -300, max: 500 }), fc.constantFrom("A", "B", "C")),
  { minLength: 1, maxLength: 14 },
);

Deno.test("asOf never returns a later response, however the clock jumps", async () => {
  let earlier = 0;
  await fc.assert(
    fc.asyncProperty(
      arbitraryRetrievals,
      fc.array(fc.integer({ min: -400, max: 3_000 }), {
        minLength: 6,
        maxLength: 6,
      }),
      async (retrievals, moments) => {
        await inFolder(async (dir) => {
          const start = Date.parse("2026-06-01T00:00:00Z");
          let minute = 0;
          const came: { minute: number; data: string }[] = [];
          for (const [jump, answer] of retrievals) {
            // No two at the same moment: the network takes longer than that.
            do minute += jump || 1; while (came.some((each) => each.minute === minute));
            await asked(dir, [new Date(start + minute * 60_000).toISOString(), answer]);
            came.push({ minute, data: answer });
          }
          // Each retrieval adds a version if it differs from the previous one; the last is always present.
          const kept = came.filter(({ data }, index) =>
            index === came.length - 1 || came[index - 1]?.data !== data
          );
          for (const minute of moments) {
            const moment = new Date(start + minute * 60_000);
            const expected = kept.filter((each) => each.minute <= minute)
              .sort((a, b) => a.minute - b.minute).at(-1);
            if (expected === undefined) {
              await assert.rejects(asOf(dir, moment), CacheError);
              continue;
            }
            const { data, retrieved_at } = await asOf(dir, moment);
            assert.ok(retrieved_at <= moment);
            assert.deepEqual(
              [data, retrieved_at.getTime()],
              [expected.data, start + expected.minute * 60_000],
            );
            earlier++;
          }
        });
      },
    ),
    { numRuns: 25, seed: 20261121 },
  );
  assert.ok(earlier > 30);
});

const HERE = new URL(".", import.meta.url).pathname;

async function offline(folder: string, asOf?: string) {
  const dir = `${HERE}${folder}`;
  const cache = { dir, mode: "offline" as const, ...asOf === undefined ? {} : { asOf } };
  const [answer] = await ask(QUESTION, connect({ cache }));
  const [row] = answer!.data as Record<string, unknown>[];
  const { retrieved_at, data_through, sha256 } = answer!;
  return [
    row!.ecosystem_fees_30d_sum,
    retrieved_at.toISOString(),
    data_through,
    sha256.slice(0, 8),
  ];
}

Deno.test("a stored archive of this version is read", async () => {
  const [first, second] = ["8689942a", "c1024e40"];
  assert.deepEqual(await offline("kept_archive", "2026-06-01"), [
    12.5,
    "2026-06-01T08:00:00.250Z",
    new Date("2026-05-28"),
    first,
  ]);
  assert.deepEqual(await offline("kept_archive", "2026-06-02"), [
    13,
    "2026-06-02T08:00:00.250Z",
    new Date("2026-05-29"),
    second,
  ]);
  assert.deepEqual(await offline("kept_archive", "2026-06-03"), [
    12.5,
    "2026-06-03T08:00:00.250Z",
    new Date("2026-05-30"),
    first,
  ]);
  assert.deepEqual(await offline("kept_archive"), [
    12.5,
    "2026-06-04T08:00:00.250Z",
    new Date("2026-05-31"),
    first,
  ]);
});
