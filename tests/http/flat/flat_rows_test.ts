import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { flatEnvelopeOf } from "../../../lib/http/envelope.ts";
import { type FlatRows, flatRowsIn } from "../../../lib/http/flat/flat_rows.ts";

const encoder = new TextEncoder();

function read(text: string): FlatRows | null {
  return flatRowsIn(encoder.encode(text))?.rows ?? null;
}

/** The values of flat rows, name by name: undefined where null and no name look alike. */
function columnsOf({ height, columns }: FlatRows): [string, unknown[]][] {
  return columns.map(({ name, valid, values }) => [
    name,
    Array.from({ length: height }, (_, row) => {
      if (values === null || ((valid[row >> 3]! >> (row & 7)) & 1) === 0) return undefined;
      if ("numbers" in values) return values.numbers[row];
      if ("mixed" in values) return values.mixed[row];
      const { bytes, starts } = values;
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
        .decode(bytes.subarray(starts[row], starts[row + 1]));
    }),
  ]);
}

/** The same of rows that JSON.parse made. */
function columnsOfRows(rows: readonly Record<string, unknown>[]): [string, unknown[]][] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return names.map((name) => [
    name,
    rows.map((row) => Object.hasOwn(row, name) ? row[name] ?? undefined : undefined),
  ]);
}

Deno.test("flatRowsIn reads texts, numbers, null and missing names, with blanks anywhere", () => {
  const flat = read(
    ' {\n"data" : [ { "id" : "a\\n\\u00fc" ,"fees":-0, "none": null }\t,\r\n{"fees":1.5e3,"more":"链 🦀"} ] }',
  );
  deepStrictEqual(columnsOf(flat!), [
    ["id", ["a\nü", undefined]],
    ["fees", [-0, 1500]],
    ["none", [undefined, undefined]],
    ["more", [undefined, "链 🦀"]],
  ]);
  deepStrictEqual(flat!.columns.map(({ present }) => present), [1, 2, 1, 1]);
});

Deno.test("flatRowsIn reads values of other kinds and of several, wherever they begin to be", () => {
  const rows = [
    { a: 1, b: "x", c: null, d: true, e: { x: ["]", '"}'] } },
    { a: "-", b: 2, c: [], d: false },
    { a: null, b: null, d: "é\ud800", e: [[], {}] },
    { a: -2.5, b: "链\n", c: {}, d: null },
  ];
  deepStrictEqual(columnsOf(read(JSON.stringify({ data: rows }, null, 1))!), columnsOfRows(rows));
  const [a, b] = read(JSON.stringify({ data: rows }))!.columns;
  deepStrictEqual([a?.values, b?.values], [
    { mixed: [1, "-", undefined, -2.5] },
    { mixed: ["x", 2, undefined, "链\n"] },
  ]);
});

Deno.test("flatRowsIn says where the rows start and end", () => {
  const { start, end } = flatRowsIn(encoder.encode('{"page":1,"data" :[{"a":1}],"errors":[]}'))!;
  deepStrictEqual([start, end], [18, 27]);
});

Deno.test("flatRowsIn leaves rows alone that have few of all names each", () => {
  const sparse = (names: number) =>
    read(`{"data":[${Array.from({ length: 500 }, (_, row) => `{"n${row % names}":1}`)}]}`);
  strictEqual(sparse(100)?.columns.length, 100);
  strictEqual(sparse(300), null);
});

Deno.test("flatRowsIn leaves alone what it would have to guess at, or is no JSON", () => {
  const rows = [
    "",
    "{}",
    '{"a":1},{}',
    '{"a":1,"a":2}',
    '{"a":tru}',
    '{"a":truex}',
    '{"a":[1}',
    '{"a":[}',
    '{"a":[[1]}',
    '{"a":["]"}',
    '{"a":{}b}',
    '{"a":,"b":1}',
    '{"a":}',
    '{"a":1},{"a":"1"b}',
    '{"7":1}',
    '{"":1}',
    '{"\\u0061":1}',
    '{"ü":1}',
    '{"a":"\\ud800"}',
    '{"a":"\\x"}',
    '{"a":"\n"}',
    '{"a":"\\n\n"}',
    '{"a":01}',
    '{"a":-}',
    '{"a":1.}',
    '{"a":.5}',
    '{"a":+1}',
    '{"a":1e}',
    '{"a":1e999}',
    '{"a":nul}',
    '{"a":nulL}',
    '{"a":1,}',
    '{"a" 1}',
    '{"a":1}{"a":1}',
    '{"a":1},',
    "7",
    '"a"',
  ];
  for (const each of rows) strictEqual(read(`{"data":[${each}]}`), null, each);
  for (const text of ["", "[]", '{"date":[{"a":1}]}', '{"ab":[{"a":1}]}', '{"data":{}}']) {
    strictEqual(read(text), null, text);
  }
});

Deno.test("flatRowsIn reads nothing of an answer that was cut off anywhere", () => {
  const text = '{"data":[{"id":"some text","fees":-12.5e-1,"none":null},{"id":"\\u00e9"}]}';
  for (let length = 0; length < text.length - 1; length++) {
    strictEqual(read(text.slice(0, length)), null, text.slice(0, length));
  }
  ok(read(text.slice(0, -1)));
});

Deno.test("flatRowsIn reads any number as JSON.parse does", () => {
  const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 20 });
  const written = fc.tuple(
    fc.constantFrom("", "-"),
    digits.map((text) => text.replace(/^0+(?=.)/, "")),
    fc.option(digits, { nil: "" }),
    fc.constantFrom("", "", "e5", "E-7", "e+21"),
  ).map(([sign, whole, places, power]) => `${sign}${whole}${places && `.${places}`}${power}`);
  const number = fc.oneof(
    written,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
    fc.maxSafeInteger().map(String),
  );
  fc.assert(
    fc.property(fc.array(number, { minLength: 1, maxLength: 40 }), (numbers) => {
      const text = `{"data":[${numbers.map((each) => `{"a":${each}}`).join()}]}`;
      const [[, values]] = columnsOf(read(text)!) as [[string, unknown[]]];
      deepStrictEqual(values, numbers.map((each) => JSON.parse(each)));
    }),
    { numRuns: 500, seed: 21 },
  );
});

const name = fc.constantFrom("id", "fees", "__proto__", "constructor", "a", "ab", "a.b*");
const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.constantFrom("", "\u0000", '"\\/', "\u2028", "\ufeff", "\ufffd", "x".repeat(100)),
);
const number = fc.double({ noNaN: true, noDefaultInfinity: true });
const mixed = fc.oneof(
  number,
  text,
  fc.boolean(),
  fc.array(text, { maxLength: 2 }),
  fc.dictionary(text, number, { maxKeys: 2 }),
);
const rows = fc.dictionary(name, fc.constantFrom<fc.Arbitrary<unknown>>(text, number, mixed)).chain(
  (kinds) =>
    fc.array(
      fc.record(
        Object.fromEntries(
          Object.entries({ ...kinds, id: text }).map(([key, kind]) => [
            key,
            fc.option(kind as fc.Arbitrary<unknown>),
          ]),
        ),
        { requiredKeys: ["id"] },
      ),
      { minLength: 1, maxLength: 150 },
    ),
);

Deno.test("flatRowsIn gives what JSON.parse gives, of rows as they are sent", () => {
  fc.assert(
    fc.property(rows, fc.constantFrom(undefined, 1), fc.boolean(), (rows, indent, escapes) => {
      const json = JSON.stringify({ data: rows }, null, indent);
      const sent = escapes
        ? json.replace(
          /[^\0-\x7f]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
        )
        : json;
      deepStrictEqual(columnsOf(read(sent)!), columnsOfRows(JSON.parse(sent).data));
    }),
    { numRuns: 200, seed: 22 },
  );
});

Deno.test("flatEnvelopeOf takes the rows of the envelope for its data, and no others", () => {
  const flat = (text: string) => flatEnvelopeOf(encoder.encode(text), (said) => said);
  const errors = [{ code: "NOT_FOUND" }];
  const envelope = flat(`{"errors":${JSON.stringify(errors)},"data":[{"a":1}],"page":2}`)!;
  deepStrictEqual([envelope.errors, envelope.notes], [errors, ["page: 2"]]);
  deepStrictEqual(columnsOf(envelope.flat!), [["a", [1]]]);
  for (
    const text of [
      '{"data":[{"a":1}],"data":null}',
      '{"data":[{"a":1}],"d\\u0061ta":[]}',
      '{"old":{"data":[{"a":1}]},"data":[]}',
      '{"old":{"data":[{"a":1}]}}',
      '[{"data":[{"a":1}]}]',
      '"data":[{"a":1}]',
      '{"data":[{"a":1}]',
      '{"data":[{"a":1}],}',
      '{"data":[{"a":1}]}\ufeff',
      '\ufeff{"data":[{"a":1}]}',
      '{"data":[{"a":1}]} {}',
    ]
  ) strictEqual(flat(text), null, text);
});

Deno.test("flatEnvelopeOf gives what JSON.parse gives of damaged bytes, or nothing", () => {
  const damage = fc.record({
    place: fc.noBias(fc.nat(999)),
    cut: fc.constantFrom(0, 0, 1, 1, 3),
    put: fc.oneof(
      fc.constantFrom(...'abc 0123456789{}[],:"\\ \n\t.-+eEn\ufeffü\u0000').map((each) => [
        ...encoder.encode(each),
      ]),
      fc.constantFrom('"data":1', ',"errors":[1]', "null", '"id":"b",', "\\u0041").map((each) => [
        ...encoder.encode(each),
      ]),
      fc.constantFrom([0xff], [0xc3], [0xed, 0xa0, 0x80], []),
    ),
  });
  let read = 0;
  fc.assert(
    fc.property(rows, fc.array(damage, { minLength: 1, maxLength: 3 }), (rows, damages) => {
      const whole = [...rows.slice(0, 2), { label: "a text that is longer", count: 1234567.875 }];
      const bytes = [...encoder.encode(JSON.stringify({ data: whole, page: 1 }))];
      for (const { place, cut, put } of damages) {
        bytes.splice(place % bytes.length, cut, ...put);
      }
      const damaged = Uint8Array.from(bytes);
      const envelope = flatEnvelopeOf(damaged, (text) => text);
      if (envelope === null) return;
      read++;
      const sent = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(damaged);
      const { data, errors = [], ...rest } = JSON.parse(sent);
      deepStrictEqual(columnsOf(envelope.flat!), columnsOfRows(data));
      deepStrictEqual(envelope.data(), data);
      strictEqual(envelope.body(), sent);
      deepStrictEqual(envelope.errors, [errors].flat());
      deepStrictEqual(
        envelope.notes,
        Object.entries(rest).map(([key, said]) => `${key}: ${JSON.stringify(said)}`),
      );
    }),
    { numRuns: 4_000, seed: 23 },
  );
  ok(read > 300, `${read} are still read`);
});
