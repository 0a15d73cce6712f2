import assert from "node:assert/strict";
import { plotComparison } from "../../lib/chart/comparison.ts";
import { save } from "../../lib/output/save.ts";
import { sha256 } from "../../lib/platform/machine.ts";
import { pl } from "../../lib/table/columns/polars.ts";
import { annotate, type Annotation } from "../../lib/table/track/provenance.ts";
import { comparisonSample } from "../chart/sample_frames.ts";
import { inFolder } from "../scripts/run_script.ts";
import { response } from "../table/response.ts";

const ANNOTATION: Annotation = {
  provenance: response({ source: "service" }),
  errors: pl.DataFrame({ code: [], field: [], value: [] }),
};

const chart = plotComparison(comparisonSample());

Deno.test("save selects the format by the ending", () =>
  inFolder(async (folder) => {
    await save(chart, `${folder}/a.svg`);
    const outlines = await chart.svg({ text: "outlines" });
    assert.equal(await Deno.readTextFile(`${folder}/a.svg`), outlines);
    await save(chart, `${folder}/a.PNG`);
    assert.deepEqual(await Deno.readFile(`${folder}/a.PNG`), await chart.png());
    await save(chart, new URL(`file://${folder}/a.html`));
    assert.match(
      await Deno.readTextFile(`${folder}/a.html`),
      /^<!doctype html>[^]*<svg [^]*<\/svg>/,
    );
  }));

Deno.test("save writes the texts and rows of a Plot chart as JSON", () =>
  inFolder(async (folder) => {
    await save(chart, `${folder}/a.json`);
    const saved = JSON.parse(await Deno.readTextFile(`${folder}/a.json`));
    assert.equal(saved.title, "Ecosystem fees over 30 days of 5 chains");
    assert.deepEqual(saved.rows[0], {
      chain: "Alder",
      "Ecosystem fees over 30 days": 41_200_000,
    });
    assert.deepEqual(saved.rows[5], {
      chain: "Fathom",
      "Ecosystem fees over 30 days": null,
    });
  }));

Deno.test("save writes the spec of a Vega-Lite chart as JSON", () =>
  inFolder(async (folder) => {
    const vega = plotComparison(comparisonSample()).interactive();
    await save(vega, `${folder}/a.json`);
    assert.deepEqual(JSON.parse(await Deno.readTextFile(`${folder}/a.json`)), await vega.spec);
  }));

Deno.test("save refuses other endings and lists its own", async () => {
  await assert.rejects(save(chart, "out/a.gif"), {
    name: "RangeError",
    message: 'save: path: must end in .svg, .png, .pdf, .html, .json for a chart; got "out/a.gif"',
  });
});

Deno.test("save writes chart and source into a side-car", () =>
  inFolder(async (folder) => {
    const frame = annotate(comparisonSample(), ANNOTATION);
    await save(plotComparison(frame), `${folder}/a.svg`, { source: frame });
    const car = JSON.parse(await Deno.readTextFile(`${folder}/a.svg.provenance.json`));
    assert.equal(car.file, "a.svg");
    assert.equal(car.sha256, await sha256(await Deno.readFile(`${folder}/a.svg`)));
    assert.equal(car.provenance.operation, "blockchain_comparison");
    assert.deepEqual(car.entity_errors, []);
    await assert.rejects(save(chart, `${folder}/b.svg`, { frce: true } as never), {
      name: "RangeError",
      message: "save: frce: did you mean force? known: force, source, format, text, dpi, width",
    });
  }));
