import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { hasChromium, inBrowser } from "../chart/browser.ts";
import { notebookOf } from "../../notebooks/notebook.ts";
import { executeNotebook } from "./execute_notebook.ts";
import { JUPYTER } from "./jupyter.ts";
import { withNewKernel } from "./with_new_kernel.ts";
import { makeWorkspace } from "./workspace.ts";

const CELLS = [
  `import * as cf from "../mod.ts";
const at = Array.from({ length: 60 }, (_, row) => row);
const months = cf.withSource(
  cf.pl.DataFrame({
    protocol: at.map((row) => "ab"[row % 2]),
    month: at.map((row) => new Date(Date.UTC(2020, row >> 1))),
    fees: at.map((row) => row % 3 === 0 ? null : row * row),
  }),
  { citation: "Own node", entity: "protocol", date: "month", columns: { fees: { unit: "usd", adds: "both" } } },
);
cf.growthRates(cf.resample(months, { every: "month", how: "sum" }), { field: "fees" });`,
  `cf.pl.DataFrame(Object.fromEntries(at.slice(0, 24).map((row) => ["a_long_name_" + row, [row + 0.5]])));`,
];

/** What a page draws: texts of the rows of each table, the size of the histogram, and the pixels of it in its gray. */
interface Drawn {
  readonly tables: readonly (readonly string[])[];
  readonly box: readonly [width: number, height: number];
  readonly bodyText: string;
}

const READ = `(() => {
  const box = document.querySelector("table img").getBoundingClientRect();
  return {
    tables: [...document.querySelectorAll("table.dataframe")].map((table) =>
      [...table.querySelectorAll("tbody tr")].map((row) => row.innerText.replace(/\\s+/g, " ").trim())),
    box: [box.width, box.height],
    bodyText: document.body.innerText,
  };
})()`;

/** Counts the pixels of a picture that have the gray of histograms. */
const countGray = (png: string) =>
  `(async () => {
  const image = new Image();
  image.src = "data:image/png;base64,${png}";
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  let count = 0;
  for (let at = 0; at < data.length; at += 4) {
    count += data[at] === 0x7b && data[at + 1] === 0x87 && data[at + 2] === 0x94;
  }
  return count;
})()`;

Deno.test({
  name:
    "an executed notebook draws five and five rows, the histogram in one gray, and one row as a list",
  ignore: JUPYTER === null || !hasChromium,
  async fn() {
    await using workspace = await makeWorkspace();
    const run = { name: "tables.ipynb", notebook: notebookOf(CELLS) };
    await withNewKernel(() => executeNotebook(workspace, run));
    for (const theme of ["light", "dark"]) {
      await new Deno.Command(JUPYTER!, {
        args: [
          "nbconvert",
          "--to=html",
          `--theme=${theme}`,
          `--output=${theme}`,
          "executed-tables.ipynb",
        ],
        cwd: workspace.notebooks,
        env: workspace.env,
        stderr: "null",
      }).output();
      const html = await Deno.readTextFile(join(workspace.notebooks, `${theme}.html`));
      await inBrowser(async (page) => {
        await page.setViewportSize({ width: 1000, height: 900 });
        await page.setContent(html);
        const { tables, box, bodyText } = await page.evaluate<Drawn>(READ);
        const [long, list] = tables;
        deepStrictEqual(long!.map((row) => row.slice(0, 7).replace(/^….*/, "…")), [
          ...["2020-01", "2020-01", "2020-02", "2020-02", "2020-03", "…"],
          ...["2022-04", "2022-05", "2022-05", "2022-06", "2022-06"],
        ]);
        deepStrictEqual([list!.length, list![23]], [24, "a_long_name_23 23.5"]);
        match(bodyText, /60 rows × \d columns · in all rows: complete true/);
        match(bodyText, /US\$1 to US\$3,481, 33% null/);
        deepStrictEqual(box, [60, 16]);
        const png = await page.locator("table img").first().screenshot();
        const gray = await page.evaluate<number>(countGray(png.toString("base64")));
        ok(gray > 60, `${theme}: ${gray} pixels of the histogram`);
        strictEqual(await page.locator("table svg").count(), 0);
      });
    }
  },
});
