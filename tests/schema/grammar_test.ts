import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  booleanIn,
  CODE,
  isMissing,
  MISSING_WORDS,
  momentIn,
  NUMBER_WAYS,
  numberIn,
  type NumberWay,
  patternReader,
  saysNoNumber,
  writtenNumberIn,
} from "../../lib/schema/grammar.ts";

Deno.test("numberIn reads a sign, digits with at most one point, and an exponent", () => {
  const numbers: Record<string, number> = {
    "0": 0,
    "-0.0": -0,
    "5e6": 5e6,
    "+12": 12,
    "12.": 12,
    ".5": .5,
    "-.5E-3": -.0005,
    "007": 7,
    "0e9": 0,
    "1e-320": 1e-320,
    "9007199254740993": 9007199254740992,
  };
  for (const [text, number] of Object.entries(numbers)) strictEqual(numberIn(text), number, text);
  const others = [
    "",
    ".",
    "+",
    "E1",
    "e7",
    "-e3",
    "1e",
    "1-2",
    "0x10",
    "0b1",
    "1_000",
    "1 000",
    " 1",
    "1\n",
    "٣",
    "NaN",
  ];
  for (
    const text of [...others, "Infinity", "3E17773446", "-1e309", "1e-400", "0.0001e-400", "1.2.3"]
  ) {
    strictEqual(numberIn(text), undefined, text);
  }
});

Deno.test("numberIn reads each number that JavaScript writes", () => {
  fc.assert(fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (number) => {
    strictEqual(numberIn(String(number)), number === 0 ? 0 : number);
    strictEqual(numberIn(JSON.stringify(number)), number === 0 ? 0 : number);
  }));
});

Deno.test("codes begin with a zero before another digit", () => {
  for (const text of ["007", "-01", "00", "00.5"]) ok(CODE.test(text), text);
  for (const text of ["0", "0.5", "-0", "100", ".05"]) ok(!CODE.test(text), text);
});

Deno.test("a missing word is no number, no boolean and no moment", () => {
  strictEqual(MISSING_WORDS.length, 22);
  for (const text of ["", ...MISSING_WORDS]) {
    ok(isMissing(text));
    deepStrictEqual([numberIn(text), booleanIn(text), momentIn(text)], [
      undefined,
      undefined,
      null,
    ]);
  }
  deepStrictEqual(["x", "0", "n.a.", "no"].map(isMissing), [false, false, false, false]);
});

Deno.test("the texts without a number in responses are fewer than the missing words", () => {
  deepStrictEqual(["", ...MISSING_WORDS].filter(saysNoNumber), [
    "",
    "-",
    "NaN",
    "Infinity",
    "-Infinity",
  ]);
});

Deno.test("booleanIn reads true and false in any case", () => {
  deepStrictEqual(["true", "False", "TRUE", "yes", "t", "1"].map(booleanIn), [
    true,
    false,
    true,
    undefined,
    undefined,
    undefined,
  ]);
});

const iso = (text: string) => {
  const moment = momentIn(text);
  return moment && [new Date(moment.time).toISOString(), moment.day];
};

Deno.test("momentIn reads times without an offset in UTC, and keeps the written day", () => {
  deepStrictEqual(iso("2026-01-02"), ["2026-01-02T00:00:00.000Z", 20455]);
  deepStrictEqual(iso("2026-01-02T03:04"), ["2026-01-02T03:04:00.000Z", 20455]);
  deepStrictEqual(iso("2026-01-02 03:04:05.6789 UTC"), ["2026-01-02T03:04:05.678Z", 20455]);
  deepStrictEqual(iso("2026-01-02T00:00:00+02:00"), ["2026-01-01T22:00:00.000Z", 20455]);
  deepStrictEqual(iso("2026-01-02T23:00:00-0530"), ["2026-01-03T04:30:00.000Z", 20455]);
  deepStrictEqual(iso("2026-01-02T23:00:00+00"), ["2026-01-02T23:00:00.000Z", 20455]);
  deepStrictEqual(iso("0001-01-01"), ["0001-01-01T00:00:00.000Z", -719162]);
});

Deno.test("momentIn refuses days that do not exist, and texts that only begin with a day", () => {
  for (
    const text of [
      ...[
        "2026-02-30",
        "2026-13-01",
        "2026-00-01",
        "2025-02-29",
        "2026-1-2",
        "02/01/2026",
        "Jan 2, 2026",
        "2026",
      ],
      ...[
        "2026-01-02T24:00:00",
        "2026-01-02T1:00",
        "2026-01-02T00:60",
        "2026-01-02x",
        "2026-01-02 ",
        "20260102",
      ],
      ...[
        "2026-01-02T00:00:00 CET",
        "2026-01-02T00:00:00+2",
        "2026-01-02Z",
        "1767312000",
        "+010000-01-01",
      ],
    ]
  ) strictEqual(momentIn(text), null, text);
});

Deno.test("momentIn reads what Date writes", () => {
  const [min, max] = [new Date("0000-01-01T00:00:00Z"), new Date("9999-12-31T23:59:59.999Z")];
  fc.assert(fc.property(fc.date({ noInvalidDate: true, min, max }), (date) => {
    const moment = momentIn(date.toISOString())!;
    deepStrictEqual(moment, { time: date.getTime(), day: Math.floor(date.getTime() / 86_400_000) });
  }));
});

const written = (text: string, way: NumberWay = "1,234.5") => writtenNumberIn(text, way);

Deno.test("writtenNumberIn reads signs of currency, groups, parentheses and percent", () => {
  const numbers: Record<string, number> = {
    "$1,234.5": 1234.5,
    "-$1,234.5": -1234.5,
    "$-1,234.5": -1234.5,
    "US$ 1,234,567": 1234567,
    "1 234.5 €": 1234.5,
    "(3.1)": -3.1,
    "($1,234)": -1234,
    "12.5%": .125,
    "-0.3 %": -.003,
    "\u2212$7": -7,
    "+7": 7,
    ".5": .5,
    "1234567.25": 1234567.25,
  };
  for (const [text, number] of Object.entries(numbers)) strictEqual(written(text), number, text);
  for (
    const text of [
      ...[
        "",
        "$",
        "%",
        "1,23",
        "12,34,567",
        "1,234 567",
        "1,2345",
        "(3",
        "3)",
        "--3",
        "-(3)",
        "1.234.5",
        "5e6",
      ],
      ...["3 apples", "$3$x", "1.234,5", "0x1", "1,", "3%%"],
    ]
  ) strictEqual(written(text), undefined, text);
  strictEqual(written("1.234,5 €", "1.234,5"), 1234.5);
  strictEqual(written("12,5%", "1.234,5"), .125);
  strictEqual(written("1.234", "1.234,5"), 1234);
  strictEqual(written("1.5", "1.234,5"), undefined);
  deepStrictEqual(NUMBER_WAYS.map((way) => written("1,234", way)), [1234, 1.234]);
});

Deno.test("writtenNumberIn reads what Intl writes", () => {
  const cents = fc.integer({ min: -1e11, max: 1e11 }).map((each) => each / 100);
  fc.assert(fc.property(cents, fc.boolean(), (number, isMoney) => {
    for (const [way, locale] of [["1,234.5", "en-US"], ["1.234,5", "de-DE"]] as const) {
      const style = isMoney
        ? { style: "currency", currency: "EUR" } as const
        : { maximumFractionDigits: 2 };
      strictEqual(written(new Intl.NumberFormat(locale, style).format(number), way), number);
    }
  }));
});

const reading = (pattern: string, text: string) => {
  const time = patternReader(pattern)!(text);
  return Number.isNaN(time) ? null : new Date(time).toISOString().slice(0, 19);
};

Deno.test("patternReader matches the whole text", () => {
  strictEqual(reading("%d.%m.%Y", "13.01.2025"), "2025-01-13T00:00:00");
  strictEqual(reading("%d.%m.%Y", "3.1.2025"), "2025-01-03T00:00:00");
  strictEqual(reading("%m/%d/%Y %H:%M:%S", "01/13/2025 7:05:09"), "2025-01-13T07:05:09");
  strictEqual(reading("%Y%m%d", "20250113"), "2025-01-13T00:00:00");
  strictEqual(reading("%d %b %Y", "13 Jan 2025"), "2025-01-13T00:00:00");
  strictEqual(reading("%b %Y", "september 2025"), "2025-09-01T00:00:00");
  strictEqual(reading("%d%b%Y", "1Feb2025"), "2025-02-01T00:00:00");
  for (
    const [pattern, text] of [
      ["%d.%m.%Y", "13.01.20251"],
      ["%d.%m.%Y", "x13.01.2025"],
      ["%d.%m.%Y", "01.13.2025"],
      ["%d.%m.%Y", "30.02.2025"],
      ["%d.%m.%Y", "13x01x2025"],
      ["%Y%m%d", "2025113"],
      ["%d %b %Y", "13 Januar 2025"],
      ["%d %b %Y", "13 Ja 2025"],
      ["%d.%m.%Y %H:%M", "13.01.2025 24:00"],
    ] as const
  ) strictEqual(reading(pattern, text), null, `${pattern} ${text}`);
});

Deno.test("patternReader is null for patterns without a year and a month, and for other parts", () => {
  for (
    const pattern of [
      ...[
        "",
        "seconds",
        "%Y",
        "%d.%m",
        "%m.%d",
        "%Y-%m-%d %M",
        "%Y-%m-%d %H:%S",
        "%Y %m %b",
        "%Y %m %H",
        "%y-%m-%d",
      ],
      ...["%Y-%m-%d %p", "%Y-%m-%d%", "%%Y-%m", "%Y-%m-%Y"],
    ]
  ) strictEqual(patternReader(pattern), null, pattern);
});
