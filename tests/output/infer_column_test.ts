import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  booleanIn,
  CODE,
  isMissing,
  MISSING_WORDS,
  momentIn,
  numberIn,
} from "../../lib/schema/grammar.ts";
import { dtypeNames } from "../../lib/table/columns/dtypes.ts";
import { provenanceOf } from "../../lib/table/track/provenance.ts";
import { cellsOf, openText } from "./open_text.ts";

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

/** Writes a table of columns c0, c1, …; missing cells are empty. */
function csv(columns: readonly (readonly string[])[]): string {
  const height = Math.max(...columns.map(({ length }) => length));
  const rows = Array.from({ length: height }, (_, row) => [
    String(row),
    ...columns.map((cells) => quoted(cells[row] ?? "")),
  ]);
  return [["row", ...columns.map((_, at) => `c${at}`)], ...rows].map((row) => `${row}\n`).join("");
}

/** The cells that the grammar has, in plain JavaScript. */
function expected(cells: readonly string[]): unknown[] {
  const texts = cells.map((cell) => cell.trim());
  const kinds = [
    (text: string) => CODE.test(text) ? undefined : numberIn(text),
    booleanIn,
    (text: string) => momentIn(text)?.time,
  ];
  for (const read of kinds) {
    const filled = texts.filter((text) => !isMissing(text));
    if (filled.length === 0 || filled.some((text) => read(text) === undefined)) continue;
    return texts.map((text) => isMissing(text) ? null : read(text));
  }
  return cells.map((cell) => cell);
}

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.integer().map(String),
  fc.stringMatching(/^[+-]?[0-9]{0,3}\.?[0-9]{0,3}([eE][+-]?[0-9]{1,4})?$/),
  fc.constantFrom("0", "-0", "0.0", "0e5", "007", "1e-400", "1e400", "12.", ".5", "+3", "5e6"),
);
const word = fc.constantFrom("", ...MISSING_WORDS);
const moment = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.integer({ min: -3e4, max: 5e4 }).map((day) =>
    new Date(day * 864e5).toISOString().slice(0, 10)
  ),
  fc.constantFrom(
    "2026-02-30",
    "2026-01-02T03:04+05:30",
    "2026-01-02 00:00:00",
    "2026-01-02T00:00:00Z",
  ),
);
const odd = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom("E1", ".", "-e3", "0x10", "$1,234", "1 2", "tru", "٣"),
);
const spaced = (cell: fc.Arbitrary<string>) =>
  fc.tuple(fc.constantFrom("", "", "", " ", "\u00a0", "\t", "\ufeff"), cell).map(([space, text]) =>
    `${space}${text}${space}`
  );
const column = fc.oneof(
  fc.array(spaced(fc.oneof({ arbitrary: number, weight: 6 }, word)), {
    minLength: 1,
    maxLength: 12,
  }),
  fc.array(spaced(fc.oneof({ arbitrary: moment, weight: 6 }, word)), {
    minLength: 1,
    maxLength: 12,
  }),
  fc.array(fc.oneof(fc.constantFrom("true", "FALSE", "True", "false"), word), {
    minLength: 1,
    maxLength: 8,
  }),
  fc.array(fc.oneof(number, word, moment, odd, fc.constantFrom("true", "false")), {
    minLength: 1,
    maxLength: 6,
  }),
).map((cells) => cells.map((cell) => cell.toWellFormed().replaceAll("\r", "")));

const times = (values: readonly unknown[]) =>
  values.map((value) => value instanceof Date ? value.getTime() : value);

const table = fc.array(column, { minLength: 1, maxLength: 12 });

Deno.test("openFrame reads the cells of CSV as the grammar does, and loses none in silence", async () => {
  await fc.assert(
    fc.asyncProperty(table, async (columns) => {
      const { frame } = await openText(csv(columns));
      const notes: string[] = [];
      for (const [at, given] of columns.entries()) {
        const cells = Array.from({ length: frame.height }, (_, row) => given[row] ?? "");
        const got = times(frame.getColumn(`c${at}`).toArray());
        deepStrictEqual(got, times(expected(cells)));
        const words = cells.map((cell) => cell.trim())
          .filter((cell, row) => cell !== "" && got[row] === null);
        ok(words.every(isMissing));
        const counts = Map.groupBy(words, (each) => each);
        const sorted = [...counts].sort(([a, as], [b, bs]) =>
          bs.length - as.length || (a < b ? -1 : 1)
        ).map(([word, all]) => `"${word}" (${all.length})`);
        if (sorted.length > 0) notes.push(`c${at}: ${sorted.join(", ")}`);
      }
      const note = (provenanceOf(frame).notes ?? []).find((each) => each.startsWith("read as"));
      strictEqual(note, notes.length === 0 ? undefined : `read as null: ${notes.join("; ")}`);
    }),
    { numRuns: 60, seed: 63 },
  );
});

const json = fc.oneof(
  fc.oneof(number, word, moment, odd),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.integer(), { maxLength: 2 }),
);

Deno.test("openFrame loses no cell of JSON in silence", async () => {
  const values = fc.oneof(
    fc.array(json, { minLength: 1, maxLength: 6 }),
    fc.array(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), word), { minLength: 1 }),
    fc.array(fc.oneof(fc.boolean(), word, fc.constant(null)), { minLength: 1 }),
    fc.array(fc.oneof(moment, word), { minLength: 1 }),
  );
  await fc.assert(
    fc.asyncProperty(values, async (cells) => {
      const { frame, told } = await openText(
        JSON.stringify(cells.map((cell) => ({ cell }))),
        {},
        "a.json",
      );
      const got = frame.getColumn("cell").toArray();
      for (const [row, cell] of cells.entries()) {
        if (got[row] !== null) continue;
        ok(cell === null || isMissing(String(cell).trim()), JSON.stringify(cell));
        if (cell !== null && String(cell).trim() !== "") match(told.join(), /read as null: cell: /);
      }
      const strings = cells.filter((cell) => typeof cell === "string" && !isMissing(cell.trim()));
      const dtype = dtypeNames(frame)[0]!;
      if (strings.length > 0) ok(["String", "Date", "Datetime"].includes(dtype));
    }),
    { numRuns: 150, seed: 63 },
  );
});

Deno.test("openFrame makes the same frame in each zone of the machine", async () => {
  const zone = Deno.env.get("TZ");
  try {
    await fc.assert(
      fc.asyncProperty(table, async (columns) => {
        const made: unknown[] = [];
        for (const each of ["UTC", "Asia/Tokyo", "America/Los_Angeles"]) {
          Deno.env.set("TZ", each);
          const rows = JSON.stringify(columns.flat().map((cell) => ({ cell })));
          for (const [content, name] of [[csv(columns), "a.csv"], [rows, "a.json"]] as const) {
            const { frame } = await openText(content, {}, name);
            made.push([dtypeNames(frame), Object.values(cellsOf(frame)).map(times)]);
          }
        }
        deepStrictEqual(made.slice(2, 4), made.slice(0, 2));
        deepStrictEqual(made.slice(4), made.slice(0, 2));
      }),
      { numRuns: 12, seed: 63 },
    );
  } finally {
    if (zone === undefined) Deno.env.delete("TZ");
    else Deno.env.set("TZ", zone);
  }
});

const told = async (...given: Parameters<typeof openText>) =>
  (await openText(...given)).told.map((line) => line.replace("openFrame: ", ""));

Deno.test("openFrame counts missing words in one notice, which names three columns", async () => {
  const header = "key,a,b,c,d,e\n";
  const rows = "x,1,1,1,1,1\ny,N/A,-,null,NaN,n/a\nz,N/A,2,2,2,2\nw,4,4,4,-inf,4\n";
  const { frame, told } = await openText(header + rows);
  deepStrictEqual(told, [
    'openFrame: read as null: a: "N/A" (2); b: "-" (1); c: "null" (1); and 2 more columns',
  ]);
  deepStrictEqual(provenanceOf(frame).notes, [
    'read as null: a: "N/A" (2); b: "-" (1); c: "null" (1); d: "-inf" (1), "NaN" (1); e: "n/a" (1)',
  ]);
  strictEqual(provenanceOf(frame).kind, "given");
});

Deno.test("a column of missing words alone is text", async () => {
  const { frame, told } = await openText("key,a,b\nx,N/A,\ny,-,\n");
  deepStrictEqual(cellsOf(frame), { key: ["x", "y"], a: ["N/A", "-"], b: [null, null] });
  deepStrictEqual(told, []);
});

Deno.test("a notice says why a column that is mostly of one kind is text", async () => {
  const days = "date,fees\n2026-01-01,1\n2026-01-02,2\nTotal,3\n";
  deepStrictEqual(await told(days), ['date: is text, because row 2 is no day: "Total"']);
  deepStrictEqual(await told("k,v\na,1\nb,2\nc,x\nd,4\ne,007\n"), []);
  deepStrictEqual(await told("k,v\na,1\nb,2\nc,x\nd,4\ne,5\n"), [
    'v: is text, because row 2 is no number: "x"',
  ]);
  deepStrictEqual(await told("k,v\na,true\nb,yes\nc,false\n"), [
    'v: is text, because row 1 is no boolean: "yes"',
  ]);
  deepStrictEqual(await told("k,v\na,1\nb,x\n"), ['v: is text, because row 1 is no number: "x"']);
  deepStrictEqual(await told("k,v\na,x\nb,2026-05-01\n"), [
    'v: is text, because row 0 is no day: "x"',
  ]);
  deepStrictEqual(await told("k,v\na,x\nb,y\n"), []);
  deepStrictEqual(await told("k,v\na,1\nb,2\nc,007\n"), [
    'v: is text, because row 2 is no number: "007"',
  ]);
  deepStrictEqual(await told('[{"v":1},{"v":2},{"v":"x"}]', {}, "a.json"), [
    'v: is text, because row 2 is no number: "x"',
  ]);
});

Deno.test("a notice has the option for texts that look like numbers", async () => {
  deepStrictEqual(await told('k,tvl\na,"$1,234.5"\nb,$7\n'), [
    'tvl: is text that looks like numbers, such as "$1,234.5"; pass numbers: { tvl: "1,234.5" }',
  ]);
  deepStrictEqual(await told('k,tvl\na,"1,234"\nb,"2,345"\n'), [
    'tvl: is text that looks like numbers, such as "1,234"; pass numbers: { tvl: "1,234.5" } or ' +
    'numbers: { tvl: "1.234,5" }',
  ]);
  // Most numbers are below 1,000, and are plain.
  deepStrictEqual(await told('k,tvl\na,95.5\nb,7\nc,8\nd,9\ne,"1,234.5"\n'), [
    'tvl: is text that looks like numbers, such as "95.5"; pass numbers: { tvl: "1,234.5" }',
  ]);
  deepStrictEqual(await told('[{"price":"1.5"},{"price":"2"}]', {}, "a.json"), [
    'price: is text that looks like numbers, such as "1.5"; pass columns: { price: { dtype: "Float64" } }',
  ]);
  deepStrictEqual(await told('[{"is live":"true"},{"is live":"false"}]', {}, "a.json"), [
    'is live: is text that looks like booleans, such as "true"; pass columns: { "is live": { dtype: "Bool" } }',
  ]);
  const many = "k,a,b,c,d,e\nx,$1,$1,$1,$1,$1\ny,$2,$2,$2,$2,$2\n";
  match((await told(many))[0]!, /; and 2 more columns$/);
  deepStrictEqual(await told("k,zip\na,00123\nb,4567\nc,01\n"), []);
});

Deno.test("JSON texts become times, but neither numbers nor booleans, and numbers keep their digits", async () => {
  const rows = [
    { day: "2026-01-01", text: "1", flag: "true", n: 1, m: true, mixed: 1 },
    { day: "2026-01-02", text: "x", flag: "x", n: "N/A", m: null, mixed: "2" },
    { day: " 2026-01-03 ", text: null, flag: null, n: 3, m: "-", mixed: [1] },
  ];
  const { frame } = await openText(JSON.stringify(rows), {}, "a.json");
  deepStrictEqual(dtypeNames(frame), ["Date", "String", "String", "Float64", "Bool", "String"]);
  deepStrictEqual(cellsOf(frame).n, [1, null, 3]);
  deepStrictEqual(cellsOf(frame).mixed, ["1", "2", "[1]"]);
  const large = await openText(
    '[{"big":1e999,"id":12345678901234567890},{"big":1.50,"id":"x"}]',
    {},
    "a.json",
  );
  deepStrictEqual(cellsOf(large.frame), {
    big: ["1e999", "1.50"],
    id: ["12345678901234567890", "x"],
  });
});

Deno.test("a notice names the column of texts with halves of characters", async () => {
  deepStrictEqual(await told('[{"k":"x\\ud800","v":"\\ud83d\\ude00"}]', {}, "a.json"), [
    'k: halves of characters are replaced: "x\\ud800"',
  ]);
});

Deno.test("a note names the columns of numbers whose digits are lost", async () => {
  const rows = '[{"a":0.1,"b":0.30000000000000000004,"c":1e20},{"a":2.50,"b":1,"c":1}]';
  const { frame, told } = await openText(rows, {}, "a.json");
  deepStrictEqual(cellsOf(frame).b, [.3, 1]);
  deepStrictEqual(provenanceOf(frame).notes, [
    "c: whole numbers above 2^53 are rounded",
    "b: numbers of more than 15 digits are rounded",
  ]);
  strictEqual(told.length, 1);
  const csv =
    "k,a,b,c\na,0.1,0.30000000000000000004,-0.12345678901234568\nb,-,1.50000000000000000000,1\n";
  deepStrictEqual(provenanceOf((await openText(csv)).frame).notes, [
    'read as null: a: "-" (1)',
    "b: numbers of more than 15 digits are rounded",
  ]);
  const stated = await openText("k,v,w\na,0.12345678901234567891,16777217\nb,7,1\n", {
    columns: { v: { dtype: "Float64" }, w: { dtype: "Float32" } },
  });
  deepStrictEqual(provenanceOf(stated.frame).notes, [
    "w: whole numbers above 2^24 are rounded",
    "v: numbers of more than 15 digits are rounded",
  ]);
  await rejects(
    openText("k,v\na,1\nb,1e-60\n", { columns: { v: { dtype: "Float32" } } }),
    /row 1, v: expected Float32; got "1e-60"/,
  );
});

Deno.test("lists and structs of JSON lose no cell in silence, and errors name the row", async () => {
  const rows = (...cells: string[]) => `[${cells.map((cell) => `{"v":${cell}}`)}]`;
  const opened = async (dtype: string, ...cells: string[]) => {
    const { frame } = await openText(rows(...cells), { columns: { v: { dtype } } }, "a.json");
    return cellsOf(frame).v;
  };
  deepStrictEqual(await opened("List(Float64)", "[1, 2.50]", "null", "[]", "[null]"), [
    [1, 2.5],
    null,
    [],
    [null],
  ]);
  deepStrictEqual(await opened("List(String)", '["x", 1.10]', "[12345678901234567890]"), [
    ["x", "1.10"],
    ["12345678901234567890"],
  ]);
  deepStrictEqual(await opened("Struct(a, b)", '{"a":1.50}', '{"b":"y"}'), [
    { a: "1.50", b: null },
    { a: null, b: "y" },
  ]);
  for (
    const [dtype, cell] of [
      ["List(Float64)", "[1, 1e999]"],
      ["List(Float64)", "[1e-400]"],
      ["List(Float64)", "[true]"],
      ["List(Int64)", "[1.5]"],
      ["List(Int64)", "[9223372036854775808]"],
      ["List(Bool)", '["true"]'],
      ["List(String)", '[{"a":1}]'],
      ["Struct(a)", '{"a":1,"b":2}'],
      ["List(Struct(a))", "[5]"],
      ["List(Float64)", "5"],
    ] as const
  ) {
    await rejects(opened(dtype, "null", cell), { message: /: row 1, v: expected [LS].*; got / });
  }
});

Deno.test("whole numbers above 2^53 are rounded, with a notice for all columns", async () => {
  deepStrictEqual(await told("k,a,b\nx,9007199254740993,1\ny,1,1e17\n"), [
    "a: whole numbers above 2^53 are rounded; b: whole numbers above 2^53 are rounded",
  ]);
});

Deno.test("dates: patterns and units read whole texts, and name the row of another text", async () => {
  const text =
    "day,at,us\n13.01.2025,13 Jan 2025 07:05,1736751900000000\n1.2.2025,01 Feb 2025 00:00,-\n";
  const dates = { day: "%d.%m.%Y", at: "%d %b %Y %H:%M", us: "microseconds" };
  const { frame, told } = await openText(text, { dates });
  deepStrictEqual(dtypeNames(frame), ["Date", "Datetime", "Datetime"]);
  deepStrictEqual(cellsOf(frame), {
    day: [new Date("2025-01-13T00:00:00Z"), new Date("2025-02-01T00:00:00Z")],
    at: [new Date("2025-01-13T07:05:00Z"), new Date("2025-02-01T00:00:00Z")],
    us: [new Date("2025-01-13T07:05:00Z"), null],
  });
  deepStrictEqual(told, ['openFrame: read as null: us: "-" (1)']);
  await rejects(
    openText("day\n13.01.20251\n", { dates: { day: "%d.%m.%Y" } }),
    /dates: row 0, day: expected times such as %d.%m.%Y; got "13.01.20251"/,
  );
});

Deno.test("numbers: reads numbers written for readers in one column, or in all that fit", async () => {
  const text = 'chain,tvl,change,code\na,"$1,234.5",12.5%,007\nb,(3.1),-0.5%,008\nc,N/A,,009\n';
  const all = await openText(text, { numbers: "1,234.5" });
  deepStrictEqual(cellsOf(all.frame), {
    chain: ["a", "b", "c"],
    tvl: [1234.5, -3.1, null],
    change: [.125, -.005, null],
    code: ["007", "008", "009"],
  });
  deepStrictEqual(all.told, ['openFrame: read as null: tvl: "N/A" (1)']);
  const one = await openText(text, { numbers: { tvl: "1,234.5" } });
  deepStrictEqual([cellsOf(one.frame).tvl, cellsOf(one.frame).change], [[1234.5, -3.1, null], [
    "12.5%",
    "-0.5%",
    null,
  ]]);
  await rejects(
    openText(text, { numbers: { chain: "1,234.5" } }),
    /numbers: row 0, chain: expected a number such as 1,234.5; got "a"/,
  );
  const german = await openText("k;v\na;1.234\nb;2.345,5\n", { numbers: "1.234,5" });
  deepStrictEqual(cellsOf(german.frame).v, [1234, 2345.5]);
  const texts = await openText('[{"v":"1,000"},{"v":"2"}]', { numbers: "1,234.5" }, "a.json");
  deepStrictEqual(cellsOf(texts.frame).v, [1000, 2]);
});

Deno.test("columns: a dtype reads by the grammar, and names the row of another text", async () => {
  const read = async (dtype: string, ...texts: string[]) => {
    const { frame } = await openText(`k,v\n${texts.map((text) => `x,"${text}"\n`).join("")}`, {
      columns: { v: { dtype } },
    });
    return [dtypeNames(frame)[1], ...cellsOf(frame).v!];
  };
  deepStrictEqual(await read("Float64", "007", " 5e3 ", "N/A"), ["Float64", 7, 5000, null]);
  deepStrictEqual(await read("Int64", "5e3", "+12", "12.", "-"), ["Int64", 5000, 12, 12, null]);
  deepStrictEqual(await read("String", "007", " N/A"), ["String", "007", " N/A"]);
  deepStrictEqual(await read("Bool", "TRUE", "false", "nil"), ["Bool", true, false, null]);
  deepStrictEqual(await read("Date", "2026-01-01T00:00:00+02:00", "null"), [
    "Date",
    new Date("2026-01-01T00:00:00Z"),
    null,
  ]);
  deepStrictEqual(await read("Datetime", "2026-01-01T00:00:00+02:00"), [
    "Datetime",
    new Date("2025-12-31T22:00:00Z"),
  ]);
  for (
    const [dtype, text] of [
      ["Float64", "0x10"],
      ["Float64", "1e400"],
      ["Float32", "1e39"],
      ["Int64", "1.5"],
      ["Int8", "300"],
      ["Bool", "yes"],
      ["Date", "02/01/2026"],
      ["Date", "2026-02-30"],
      ["Datetime", "Jan 2, 2026"],
    ]
  ) {
    await rejects(
      read(dtype!, "1e1".repeat(0) || "-", text!),
      new RegExp(`row 1, v: expected ${dtype}; got "${text}"`),
    );
  }
});

Deno.test("a column can have the name of a member of objects", async () => {
  const { frame } = await openText("chain,constructor,__proto__\na,1,2\n");
  deepStrictEqual([frame.columns, frame.row(0)], [["chain", "constructor", "__proto__"], [
    "a",
    1,
    2,
  ]]);
});
