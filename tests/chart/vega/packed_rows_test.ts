import { deepStrictEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { packSpecs, TABLE, UNPACK } from "../../../lib/chart/vega/packed_rows.ts";
import { plotTimeline } from "../../../lib/chart/timeline.ts";
import { emptyDocument } from "../../../lib/chart/drawing/observable_plot.ts";
import { pl } from "../../../lib/table/columns/polars.ts";

/** Packs specs and unpacks them with the code of the page. */
function unpacked(specs: readonly unknown[]): unknown {
  const packed = packSpecs(specs);
  const { specs: own, tables } = packed;
  return new Function(`${UNPACK}; return unpacked(${own}, ${tables});`)();
}

Deno.test("packed specs are unpacked with the same rows, tooltips and descriptions", async () => {
  const frame = pl.DataFrame(
    ["a", "b", "c"].flatMap((protocol, at) =>
      [...Array(30).keys()].map((day) => ({
        protocol,
        date: `2025-03-${String(day + 1).padStart(2, "0")}`,
        fees_usd: day === 12 ? null : 100 / (at + day + 1),
      }))
    ),
  );
  const spec = await plotTimeline(frame, { field: "fees_usd" }).interactive().spec;
  deepStrictEqual(unpacked([spec]), JSON.parse(JSON.stringify([spec])));
});

Deno.test("packed specs hold any rows of JSON", () => {
  const cell = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => each + 0),
    fc.constantFrom(null, true, "", "x 1x2", "</script>", 0, -1, "#123456"),
    fc.array(fc.integer(), { maxLength: 3 }),
    fc.record({ title: fc.string(), value: fc.string() }),
  );
  const name = fc.constantFrom("x", "y", "at", "says", "tooltip", "group", "keys", "packed2");
  const rows = fc.array(fc.dictionary(name, cell, { noNullPrototype: true }), { maxLength: 12 });
  fc.assert(
    fc.property(fc.array(rows, { maxLength: 4 }), (layers) => {
      const specs = [{ vconcat: layers.map((values) => ({ data: { values } })) }];
      deepStrictEqual(unpacked(specs), JSON.parse(JSON.stringify(specs)));
    }),
    { seed: 11, numRuns: 300 },
  );
});

Deno.test("an interactive page has at most 100 bytes a point", async () => {
  const [lines, days] = [4, 1000];
  const frame = (count: number) =>
    pl.DataFrame([...Array(lines).keys()].flatMap((at) =>
      [...Array(count).keys()].map((day) => ({
        protocol: `protocol ${at}`,
        date: new Date(Date.UTC(2024, 0, day + 1)).toISOString().slice(0, 10),
        fees_usd: 1000 / (1 + at) + Math.sin(day * (at + 1)) * 17,
      }))
    ));
  const sizeOf = async (count: number) =>
    (await plotTimeline(frame(count), { field: "fees_usd" }).interactive().html()).length;
  const bytes = (await sizeOf(days) - await sizeOf(20)) / (lines * (days - 20));
  ok(bytes <= 100, `${bytes} bytes a point`);
});

Deno.test("a page adds the rows of its chart as a table, and data cannot break out of it", async () => {
  const frame = pl.DataFrame({
    protocol: ["<b>bold</b>", "<b>bold</b>"],
    date: ["2024-01-01", "2024-02-01"],
    fees_usd: [1.5, 2.25],
  });
  const spec = await plotTimeline(frame, { field: "fees_usd" }).interactive().spec;
  const document = await emptyDocument();
  new Function("document", "spec", `${TABLE}; addTable(document, "<i>", spec);`)(document, spec);
  const [table] = [...document.querySelectorAll(".rows table")];
  deepStrictEqual(
    table!.innerHTML.replace(/<\/t(?:d|h|r|body|head)>/g, ""),
    "<caption>&lt;i&gt;</caption><thead><tr><th>name<th>at<th>value<tbody>" +
      "<tr><td>&lt;b&gt;bold&lt;/b&gt;<td>Jan 2024<td>$1.50" +
      "<tr><td>&lt;b&gt;bold&lt;/b&gt;<td>Feb 2024<td>$2.25",
  );
});
