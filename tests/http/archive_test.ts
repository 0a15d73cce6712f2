import assert from "node:assert/strict";
import fc from "fast-check";
import { ask } from "./ask.ts";
import type { CacheOptions, ConnectOptions } from "../../lib/http/settings.ts";
import { connect } from "../../lib/http/connect.ts";
import { CacheError, NotFoundError } from "../../lib/http/errors.ts";
import type { ApiRequest } from "../../lib/http/request.ts";
import { cacheIn, entryOf } from "./write_forever.ts";
import { manualClock } from "./manual_clock.ts";
import { data, failed, type Play, playing } from "./playing.ts";
import { BREAKDOWN, QUESTION } from "./question.ts";
import { inFolder } from "../in_folder.ts";

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
  const options: ConnectOptions = { cache: { dir, maxAge: 0, ...cache } };
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

Deno.test("every response that differs from the previous one is a version, equal bytes are stored once", () =>
  inFolder(async (dir) => {
    for (const [day, answer] of [["01", "A"], ["02", "A"], ["03", "B"], ["04", "A"], ["05", "A"]]) {
      await asked(dir, [`2026-06-${day}T08:00:00.123Z`, answer]);
    }
    assert.deepEqual(files(dir), [
      "blockchain_comparison.#.body.json",
      "blockchain_comparison.#.body.json",
      "blockchain_comparison.jsonl",
    ]);
    const [log = ""] = [...Deno.readDirSync(dir)].map(({ name }) => name)
      .filter((name) => name.endsWith(".jsonl"));
    const headers = Deno.readTextFileSync(`${dir}/${log}`).split("\n").filter((line) => line !== "")
      .map((line) => JSON.parse(line));
    const days = (name: string) => headers.map((header) => header[name].slice(8, 10));
    assert.deepEqual(days("retrieved_at"), ["01", "01", "03", "04", "04"]);
    assert.deepEqual(days("checked_at"), ["01", "02", "03", "04", "05"]);
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
      ["2030-01-01", "A", "04"],
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
        `blockchain_comparison: offline as of 2026-05-31T23:59:59.999Z, and the cache in ${dir} has no intact response (its first was retrieved 2026-06-01T08:00:00.000Z): http://127.0.0.1:9/v2/datasets/blockchain_comparison`,
      );
      return true;
    });
    await assert.rejects(asOf(dir, "2030-01-01", BREAKDOWN), /has no intact response: /);
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
    const { connection } = playing(play, { cache: { dir, maxAge: 0 } }, clock);
    await clock.finish(ask(question, connection));

    assert.equal((await asOf(dir, "2026-06-01", question)).data, "there");
    await assert.rejects(asOf(dir, "2026-06-02", question), NotFoundError);
    const { data: found, renamed } = await asOf(dir, "2026-06-03", question);
    assert.equal(found, "renamed");
    assert.deepEqual(renamed.map(({ to }) => to.replace(/^.*\/v2/, "/v2")), ["/v2/projects/new"]);
  });
});

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
    await assert.rejects(
      asOf(dir, "2026-06-02"),
      /has no intact response \(its first was retrieved 2026-06-01/,
    );
    assert.equal((await asOf(dir, "2026-06-01")).data, "A");
    assert.equal((await asOf(dir, "2026-06-03")).data, "C");
  }));

Deno.test("a confirmation (304) adds a line to the headers", () =>
  inFolder(async (dir) => {
    const etag = { headers: { etag: '"a"' } };
    await asked(dir, ["2026-06-01T00:00:00Z", Response.json({ data: "A" }, etag)]);
    const before = files(dir);
    const text = () =>
      [...Deno.readDirSync(dir)].map(({ name }) => name).filter((name) => name.endsWith(".jsonl"))
        .map((name) => Deno.readTextFileSync(`${dir}/${name}`)).join("");
    const first = text();
    await asked(dir, ["2026-06-02T00:00:00Z", new Response(null, { status: 304 })]);
    assert.deepEqual(files(dir), before);
    assert.ok(text().startsWith(first) && text().length > first.length);
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
      const cache = cacheIn(dir);
      for (let count = 0; count < 40; count++) {
        await cache.write(QUESTION, await entryOf(JSON.stringify({ data: `${side} ${count}` })));
      }
    };
    await Promise.all([write("one"), write("other")]);
    const bodies = [...Deno.readDirSync(dir)].filter(({ name }) => name.endsWith(".body.json"));
    assert.equal(bodies.length, 80);
    const [log = ""] = [...Deno.readDirSync(dir)].map(({ name }) => name)
      .filter((name) => name.endsWith(".jsonl"));
    const lines = Deno.readTextFileSync(`${dir}/${log}`).split("\n").filter((line) => line !== "");
    assert.equal(new Set(lines.map((line) => JSON.parse(line).sha256)).size, 80);
    assert.ok((await cacheIn(dir).times(QUESTION)).length > 1);
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
          // A body that equals the previous one confirms it. The clock may have been set back in between.
          const kept = came.map((each) => ({ ...each, retrieved: each.minute }));
          kept.forEach((each, index) => {
            const before = kept[index - 1];
            if (before?.data !== each.data) return;
            each.retrieved = before.retrieved;
            each.minute = Math.max(each.minute, before.retrieved);
          });
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
              [expected.data, start + expected.retrieved * 60_000],
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
    "2026-06-03T08:00:00.250Z",
    new Date("2026-05-31"),
    first,
  ]);
});
