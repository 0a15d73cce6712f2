import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { connect } from "../../lib/http/connect.ts";
import { openFrame } from "../../lib/output/open_frame.ts";
import { save } from "../../lib/output/save.ts";
import type { TableOptions } from "../../lib/output/table_options.ts";
import { sha256 } from "../../lib/platform/machine.ts";
import { dtypeNames } from "../../lib/table/columns/dtypes.ts";
import type { Frame } from "../../lib/table/columns/polars.ts";
import { provenanceOf } from "../../lib/table/track/provenance.ts";
import { hearing } from "../http/hearing.ts";
import { inFolder } from "../in_folder.ts";
import { serving } from "./served_table.ts";

const citation = "A source";
const direct = connect({ envFile: false });
const cells = (frame: Frame) => frame.columns.map((name) => frame.getColumn(name).toArray());

/** Opens a table of a body and headers. Returns the notices and the notes. */
async function opening(
  body: unknown,
  options: Partial<TableOptions> = {},
  headers: HeadersInit = {},
) {
  let notes: readonly string[] | undefined;
  let told: string[] = [];
  await serving(() => Response.json(body, { headers }), async (url) => {
    told = await hearing(async () => {
      const frame = await openFrame(url, { citation, rows: "data", ...options }, direct);
      notes = provenanceOf(frame).notes;
    });
  });
  return { told: told.map((line) => line.replace("openFrame: ", "")), notes };
}

const DATA = [{ v: 1 }, { v: 2 }];

Deno.test("members beside the rows are notes of the frame", async () => {
  const long = "x".repeat(1_000);
  const { told, notes } = await opening({
    status: "ok",
    data: { rows: DATA, page: 1 },
    ids: [1, 2, 3],
    long,
  }, {
    rows: "data.rows",
  });
  deepStrictEqual(told, []);
  deepStrictEqual(notes, [
    'status: "ok"',
    "ids: a list of 3",
    `long: "${"x".repeat(199)}…`,
    "data.page: 1",
  ]);
});

Deno.test("notes of own data and of unknown data are in the side-car", () =>
  inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/a.csv`, "k,v\nx,1\ny,N/A\n");
    await hearing(async () => {
      for (const options of [undefined, { citation }]) {
        const frame = await openFrame(`${folder}/a.csv`, options);
        const { kind } = provenanceOf(frame);
        await save(frame, `${folder}/${kind}.parquet`);
        const { notes } = provenanceOf(await openFrame(`${folder}/${kind}.parquet`));
        deepStrictEqual([kind, notes], [options === undefined ? "unknown" : "given", [
          'read as null: v: "N/A" (1)',
        ]]);
      }
    });
  }));

for (
  const [body, advice] of [
    [
      { data: DATA, next_page_token: "abc" },
      'next_page_token is "abc"; pass next: "next_page_token"',
    ],
    [
      { data: DATA, paging: { next: "https://x/?p=2" } },
      'paging.next is "https://x/?p=2"; pass next: "paging.next"',
    ],
    [{ data: DATA, has_more: true }, "has_more is true"],
    [{ data: DATA, meta: { end_cursor: 5 } }, 'meta.end_cursor is 5; pass next: "meta.end_cursor"'],
  ] as const
) {
  Deno.test(`a warning names a member that leads to more rows: ${Object.keys(body)[1]}`, async () => {
    const { told, notes } = await opening(body);
    deepStrictEqual(told, [`the response seems to be one page of several: ${advice}`]);
    ok(notes!.includes(told[0]!));
  });
}

Deno.test("a warning names a count of rows that is higher, and a header Link", async () => {
  deepStrictEqual((await opening({ data: DATA, meta: { total_row_count: 300 } })).told, [
    "the response has 2 of 300 rows, as its member meta.total_row_count states",
  ]);
  deepStrictEqual(
    (await opening({ data: DATA }, {}, {
      link: '<https://x/1>; rel="prev", <https://x/2>; rel="last next"',
    })).told,
    [
      'the response seems to be one page of several: its header Link has rel="next"',
    ],
  );
  const whole = {
    data: DATA,
    count: 2,
    next: null,
    has_more: false,
    next_page_token: "",
    prev_cursor: "a",
    nextPages: [],
  };
  deepStrictEqual((await opening(whole, {}, { link: '<https://x/1>; rel="prev"' })).told, []);
});

Deno.test("the header Link is kept in the cache entry", () =>
  inFolder((dir) =>
    serving(
      () => Response.json(DATA, { headers: { link: "</x?page=2>; rel=next" } }),
      async (url, requests) => {
        const made = connect({ envFile: false, cache: { dir } });
        for (let time = 0; time < 2; time++) {
          match((await hearing(() => openFrame(url, { citation }, made))).join(), /rel="next"/);
        }
        strictEqual(requests.length, 1);
      },
    )
  ));

/** Answers with pages: the rows of each, and what leads to the next. */
const PAGES: [rows: unknown[], next: unknown][] = [
  [[{ day: "2026-01-01", v: 1 }], 2],
  [[{ day: "2026-01-02", v: null, more: "x" }], 3],
  [[{ day: "2026-01-03", v: "N/A" }], null],
];
const paged = (lead: (next: unknown, url: URL) => unknown) => (url: URL) => {
  const [rows, next] = PAGES[Number(url.searchParams.get("page") ?? 1) - 1]!;
  return Response.json({ data: rows, paging: { page: next === null ? null : lead(next, url) } });
};

for (
  const [what, lead] of [
    ["a value", (next) => next],
    ["a text", (next) => String(next)],
    ["an address", (next, url) => `${url.origin}/x?page=${next}`],
    ["a path", (next) => `/x?page=${next}`],
    ["a query", (next) => `?page=${next}`],
  ] as [string, Parameters<typeof paged>[0]][]
) {
  Deno.test(`next: ${what} leads to the next page, and all pages are one frame`, () =>
    serving(paged(lead), async (url, requests) => {
      const options = { citation, rows: "data", next: "paging.page" };
      let made: Frame | undefined;
      const told = await hearing(async () => {
        made = await openFrame(`${url}/x?key=1`, options, direct);
      });
      deepStrictEqual(told, ['openFrame: read as null: v: "N/A" (1)']);
      deepStrictEqual(dtypeNames(made!), ["Date", "Float64", "String"]);
      deepStrictEqual(cells(made!).slice(1), [[1, null, null], [null, "x", null]]);
      strictEqual(requests.length, 3);
      if (what.startsWith("a value")) ok(requests.every((each) => each.includes("key=1")));
      // Rows count from the first page, and the error names it.
      const wrong = { ...options, columns: { more: { dtype: "Bool" } } };
      await rejects(
        openFrame(`${url}/x?key=1`, wrong, direct),
        /row 1, more: expected Bool; got "x"; read from [^ ]*\/x\?key=\[hidden\]$/,
      );
    }));
}

Deno.test("next: parameter names the parameter, also for a value that looks like a path", () =>
  serving((url) => {
    const at = url.searchParams.get("cursor");
    return Response.json({ data: [{ at }], next: at === null ? "/a?b=&c" : null });
  }, async (url) => {
    const frame = await openFrame(url, {
      citation,
      rows: "data",
      next: "next",
      parameter: "cursor",
    }, direct);
    deepStrictEqual(cells(frame), [[null, "/a?b=&c"]]);
  }));

Deno.test("next: the digest is that of the digests of the pages", () =>
  serving(paged((next) => next), async (url) => {
    const bodies = [2, 3, null].map((next, at) =>
      JSON.stringify({ data: PAGES[at]![0], paging: { page: next } })
    );
    await hearing(async () => {
      const frame = await openFrame(url, { citation, rows: "data", next: "paging.page" }, direct);
      const { file_sha256 } = provenanceOf(frame) as { file_sha256: string };
      strictEqual(file_sha256, sha256(bodies.map((body) => sha256(body)).join("")));
    });
  }));

const refused = (
  answer: (url: URL, count: number) => unknown,
  reason: RegExp,
  options: Partial<TableOptions> = {},
) =>
  serving((url, count) => {
    const body = answer(url, count);
    return body instanceof Response ? body : Response.json(body);
  }, (url) =>
    rejects(
      openFrame(`${url}/t`, { citation, rows: "data", next: "next", ...options }, direct),
      reason,
    ));

Deno.test("next: refuses other origins, repeated bodies, values of other types, and other formats", async () => {
  await refused(
    () => ({ data: DATA, next: "https://example.org/x" }),
    /next: next must stay at http:\/\/127.0.0.1:\d+; got https:\/\/example.org; read from/,
  );
  await refused(() => ({ data: DATA, next: "x" }), /next: page 2 is the same as page 1/);
  await refused(
    (_, count) => ({ data: DATA, next: count % 2 }),
    /next: page 3 is the same as page 1/,
  );
  await refused(
    () => ({ data: DATA, next: true }),
    /next: next must be a text or a number; got true/,
  );
  await refused(
    () => ({ data: DATA, next: { a: 1 } }),
    /next: next must be a text or a number; got/,
  );
  await refused(() => new Response("a,b\n1,2\n"), /next: is for JSON; got csv/);
});

Deno.test("next: at most 1,000 pages, and maxBytes in all", async () => {
  await refused(
    (_, count) => ({ data: [{ count }], next: count }),
    /next: expected at most 1,?000 pages/,
  );
  await refused(
    (_, count) => ({ data: [{ count }], next: count }),
    /maxBytes: the pages have more than 200 bytes/,
    { maxBytes: 200 },
  );
});

Deno.test("a body enters the cache when a frame was made of it", () =>
  inFolder((dir) =>
    serving(
      (_, count) => Response.json({ data: count === 1 ? null : [{ a: count }] }),
      async (url, requests) => {
        const made = connect({ envFile: false, cache: { dir } });
        const read = () => openFrame(url, { citation, rows: "data" }, made);
        await rejects(read(), /rows: must be the path of a list/);
        deepStrictEqual(cells(await read()), [[2]]);
        deepStrictEqual(cells(await read()), [[2]]);
        strictEqual(requests.length, 2);
      },
    )
  ));

Deno.test("a wrong option neither removes a kept body nor sends a request", () =>
  inFolder((dir) =>
    serving((_, count) => Response.json({ data: [{ a: count }] }), async (url, requests) => {
      const made = connect({ envFile: false, cache: { dir } });
      const read = (rows: string) => openFrame(url, { citation, rows }, made);
      deepStrictEqual(cells(await read("data")), [[1]]);
      await rejects(read("dta"), /has no member "dta"/);
      deepStrictEqual(cells(await read("data")), [[1]]);
      strictEqual(requests.length, 1);
    })
  ));

Deno.test("a call with a wrong option does not disturb another call at the same time", () =>
  inFolder((dir) =>
    serving(() => Response.json({ data: [{ a: 1 }] }), async (url, requests) => {
      const made = connect({ envFile: false, cache: { dir } });
      const read = (rows: string) => openFrame(url, { citation, rows }, made);
      const [wrong, right] = await Promise.allSettled([read("dta"), read("data")]);
      deepStrictEqual([wrong.status, right.status], ["rejected", "fulfilled"]);
      const { length } = requests;
      await rejects(read("dta"), /has no member "dta"/);
      deepStrictEqual(cells(await read("data")), [[1]]);
      strictEqual(requests.length, length);
    })
  ));

Deno.test("pages enter the cache together", () =>
  inFolder((dir) =>
    serving(
      (url, count) =>
        count === 2 ? new Response("no", { status: 404 }) : paged((next) => next)(url),
      async (url, requests) => {
        const made = connect({ envFile: false, cache: { dir } });
        const read = (connection = made) =>
          openFrame(url, { citation, rows: "data", next: "paging.page" }, connection);
        await hearing(async () => {
          await rejects(read(), /404/);
          deepStrictEqual([...Deno.readDirSync(dir)], []);
          await read();
          strictEqual(requests.length, 5);
          const offline = connect({ envFile: false, cache: { dir, mode: "offline" } });
          strictEqual((await read(offline)).height, 3);
        });
      },
    )
  ));
