import { deepStrictEqual, match, ok, rejects, throws } from "node:assert/strict";
import { drawVega } from "../../../mod.ts";

const LINKS = ["https://a.example/x", "http://b.example/", "mailto:me@c.example"];
const OTHERS = [
  "javascript:alert(1)",
  "data:text/html,x",
  "file:///etc/passwd",
  " JavaScript:x",
  "",
];

const spec = (addresses: readonly string[]) => ({
  mark: "point",
  data: { values: addresses.map((address, at) => ({ at, address, data: { url: "x" } })) },
  encoding: { x: { field: "at", type: "quantitative" }, href: { field: "address" } },
});

Deno.test("drawVega: links are http, https and mailto; a refused one is no link, and ends nothing", async () => {
  const svg = await drawVega(spec([...LINKS, ...OTHERS])).svg();
  const links = [...svg.matchAll(/xlink:href="([^"]*)"/g)].map(([, link]) => link);
  deepStrictEqual(links, LINKS);
  ok(!/javascript|passwd|data:text/i.test(svg));
  const html = await drawVega(spec(OTHERS)).html();
  match(html, /https\?\|mailto/);
});

Deno.test("drawVega refuses data of an address anywhere in a spec, and names the other way", () => {
  const { data, ...view } = spec(LINKS);
  const url = { url: "https://a.example/fees.csv" };
  const refused = {
    name: "RangeError",
    message:
      /^drawVega: data\.url: read it with openFrame, and pass rows as data\.values; got "https/,
  };
  for (
    const hostile of [
      { ...view, data: url },
      { ...view, data: [{ name: "a", values: [] }, { name: "b", ...url }] },
      { layer: [{ ...view, data }, { ...view, data: url }] },
      { data, hconcat: [{ vconcat: [{ ...view, data: url }] }] },
      {
        ...view,
        data,
        transform: [{ lookup: "at", from: { data: url, key: "at", fields: ["b"] } }],
      },
    ]
  ) throws(() => drawVega(hostile), refused);
  drawVega({ ...view, data });
  drawVega({ ...view, data: { name: "own" }, datasets: { own: [{ data: url }] } });
});

Deno.test("drawVega draws a copy of its spec, and no output of a chart has data of an address", async () => {
  const own: Record<string, unknown> = spec(LINKS);
  const chart = drawVega(own);
  own.data = { url: "https://a.example/fees.csv" };
  match(await chart.svg(), /b\.example/);
  Object.assign(await chart.spec, { data: own.data });
  for (const work of [chart.svg, chart.html, chart.png]) {
    await rejects(() => work(), /^RangeError: drawVega: data\.url: read it with openFrame/);
  }
  throws(
    () => drawVega({ ...spec(LINKS), width: () => 5 }),
    /^RangeError: drawVega: spec: must be data, without functions/,
  );
});
