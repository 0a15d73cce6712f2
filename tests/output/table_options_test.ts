import { deepStrictEqual, doesNotMatch, match, rejects, strictEqual } from "node:assert/strict";
import { openFrame } from "../../lib/output/open_frame.ts";
import { save } from "../../lib/output/save.ts";
import type { TableOptions } from "../../lib/output/table_options.ts";
import { columnsOf } from "../../lib/table/track/descriptions.ts";
import { pl } from "../../lib/table/columns/polars.ts";
import { provenanceOf } from "../../lib/table/track/provenance.ts";
import { hearing } from "../http/hearing.ts";
import { inFolder } from "../in_folder.ts";
import { cellsOf, openText } from "./open_text.ts";

for (
  const [options, reason] of [
    [{ citation: "" }, /openFrame: citation: must be a text; got ""/],
    [{ license: 5 }, /openFrame: license: must be a text; got 5/],
    [{ retrievedAt: "soon" }, /openFrame: retrievedAt: must be a day/],
    [{ rows: 5 }, /openFrame: rows: must be a text; got 5/],
    [
      { format: "xlsx" },
      /openFrame: format: must be one of json, ndjson, csv, parquet, arrow; got "xlsx"/,
    ],
    [{ keys: "chain" }, /openFrame: keys: must be a list of different names; got "chain"/],
    [{ names: ["a", "a"] }, /openFrame: names: must be a list of different names/],
    [
      { dates: { day: "%d.%m" } },
      /openFrame: dates: must be an object with seconds, milliseconds, microseconds, days, or a pattern of %Y, .*; got \{ day: "%d.%m" \}/,
    ],
    [{ dates: "seconds" }, /openFrame: dates: must be an object/],
    [
      { numbers: "1.234" },
      /openFrame: numbers: must be one of "1,234.5", "1.234,5", or an object with one for each column; got "1.234"/,
    ],
    [{ numbers: { tvl: "de" } }, /openFrame: numbers: must be one of .*; got \{ tvl: "de" \}/],
    [{ separator: ":" }, /openFrame: separator: must be one of .*; got ":"/],
    [{ header: 0 }, /openFrame: header: must be .*; got 0/],
    [{ footer: -1 }, /openFrame: footer: must be .*; got -1/],
    [
      { encoding: "klingon" },
      /openFrame: encoding: must be the name of an encoding, such as "windows-1252"; got "klingon"/,
    ],
    [{ encoding: 5 }, /openFrame: encoding: must be the name of an encoding/],
    [{ columns: { a: { dtype: "Text" } } }, /openFrame: columns: dtype must be one such as String/],
    [{ columns: { b: {} } }, /columns: expected columns of "a"; got "b"/],
    [{ numbers: { b: "1,234.5" } }, /numbers: expected columns of "a"; got "b"/],
    [{ maxBytes: 0 }, /openFrame: maxBytes: must be .*; got 0/],
    [{ maxBytes: 3 }, /openFrame: maxBytes: ".*table.csv" has 6 bytes/],
    [{ next: "next" }, /openFrame: next: is for an address/],
    [
      { next: "a..b" },
      /openFrame: next: must be the path of a member, such as "paging.next"; got "a..b"/,
    ],
    [{ parameter: "page" }, /openFrame: parameter: is for an address/],
    [{ secret: ["key"] }, /openFrame: secret: is for an address/],
    [{ cite: "x" }, /openFrame: unknown option|cite/],
  ] as [TableOptions, RegExp][]
) {
  const [name] = Object.keys(options);
  Deno.test(`openFrame refuses a bad value of ${name}: ${Deno.inspect(options[name as keyof TableOptions])}`, () =>
    rejects(openText("a\n1\n2\n", options), reason));
}

Deno.test("openFrame: options of an address", async () => {
  const address = "https://example.org/t.csv";
  await rejects(openFrame(address, {}), /openFrame: citation: is required/);
  await rejects(
    openFrame(address, { citation: "x", retrievedAt: "2026-01-01" }),
    /openFrame: retrievedAt: is for a file/,
  );
  await rejects(
    openFrame(address, { citation: "x", parameter: "page" }),
    /openFrame: parameter: needs next/,
  );
});

Deno.test("a file takes the options of an address; its citation is its name, and no notice is shown", async () => {
  const { frame, told } = await openText(
    '{"data":{"prices":[[1767225600000,1.5],[1767312000000,1.6]]}}',
    {
      rows: "data.prices",
      names: ["date", "price"],
      dates: { date: "milliseconds" },
      columns: { price: { unit: "usd", adds: "none" } },
    },
    "saved.json",
  );
  deepStrictEqual(cellsOf(frame), {
    date: [new Date("2026-01-01"), new Date("2026-01-02")],
    price: [1.5, 1.6],
  });
  deepStrictEqual(told, []);
  const { kind, citation, file, retrieved_at } = provenanceOf(frame) as unknown as Record<
    string,
    unknown
  >;
  deepStrictEqual([kind, citation, file, retrieved_at], [
    "given",
    "saved.json",
    "saved.json",
    null,
  ]);
  strictEqual(columnsOf(frame).get("price")?.unit, "usd");
});

Deno.test("one object declares a source: what is stated reaches the provenance", async () => {
  const FEES = {
    dates: { day: "%d.%m.%Y" },
    numbers: "1.234,5",
    columns: { fees: { unit: "usd", adds: "both" } },
    citation: "Own node",
    license: "CC0",
    retrievedAt: "2026-02-01",
  } as const satisfies TableOptions;
  const { frame } = await openText("day;fees\n31.01.2026;1.234,5\n", FEES);
  deepStrictEqual(frame.row(0), [new Date("2026-01-31"), 1234.5]);
  const { citation, license, retrieved_at } = provenanceOf(frame) as unknown as Record<
    string,
    unknown
  >;
  deepStrictEqual([citation, license, retrieved_at], ["Own node", "CC0", new Date("2026-02-01")]);
});

Deno.test("a number of JSON is itself in any way of writing numbers", async () => {
  const rows = '[{"k":"a","fees":7.250},{"k":"b","fees":"2.041,5"},{"k":"c","fees":1e3}]';
  for (const [numbers, text] of [["1.234,5", "2.041,5"], ["1,234.5", "2,041.5"]] as const) {
    const given = rows.replace("2.041,5", text);
    const { frame } = await openText(given, { numbers: { fees: numbers } }, "fees.json");
    deepStrictEqual(cellsOf(frame).fees, [7.25, 2041.5, 1000]);
  }
});

Deno.test("options name columns as the table does, also those that get another name", async () => {
  const { frame } = await openText("day,slice,height\n2026-01-01,x,7\n2026-01-01,y,9\n", {
    columns: { height: { unit: "blocks", adds: "both" } },
    entity: "slice",
    date: "day",
  });
  deepStrictEqual(frame.columns, ["day", "slice_", "height_"]);
  const columns = columnsOf(frame);
  deepStrictEqual(
    [columns.get("height_")?.unit, columns.get("slice_")?.key, columns.get("day")?.key],
    ["blocks", "stated", "stated"],
  );
});

Deno.test("a side-car states the columns, so that other options are an error", () =>
  inFolder(async (folder) => {
    await hearing(() => save(pl.DataFrame({ a: [1] }), `${folder}/a.csv`));
    await rejects(
      openFrame(`${folder}/a.csv`, { citation: "x" }),
      /openFrame: citation: is stated by the side-car of ".*a.csv"/,
    );
    deepStrictEqual(cellsOf(await openFrame(`${folder}/a.csv`, {})), { a: [1] });
  }));

Deno.test("adds of a column of texts is an error", async () => {
  for (const adds of ["both", "groups"] as const) {
    await rejects(
      openText("k,tvl\na,$1\nb,$2\n", { columns: { tvl: { unit: "usd", adds } } }),
      /openFrame: columns: tvl is text, which cannot be added: adds must be "none"/,
    );
  }
});

Deno.test("whole numbers above 2^53 are noted by name, also with a stated dtype or way of writing", async () => {
  const note = /wei: whole numbers above 2\^53 are rounded/;
  for (
    const [content, name, options] of [
      ['[{"wei":9007199254740993,"gas":1}]', "a.json", { columns: { wei: { dtype: "Float64" } } }],
      ['[{"wei":"90071992547409931","gas":"1"}]', "b.json", {
        columns: { wei: { dtype: "Float64" }, gas: { dtype: "Float64" } },
      }],
      ['wei;gas\n"90.071.992.547.409.931";"1,5"\n"2";"3"\n', "c.csv", { numbers: "1.234,5" }],
    ] as const
  ) {
    const { told } = await openText(content, options as TableOptions, name);
    match(told.join("\n"), note, name);
    doesNotMatch(told.join("\n"), /gas: whole/);
  }
});
