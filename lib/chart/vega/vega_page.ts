import type { Coloring, VegaSpec } from "../chart.ts";
import { darkColor, type OwnDark } from "../page/dark.ts";
import { fontRules } from "../page/fonts.ts";
import { htmlPage } from "../page/svg.ts";
import { theme as look } from "../theme.ts";
import { packSpecs, TABLE, UNPACK } from "./packed_rows.ts";
import { withLook } from "./render_vega.ts";
import { browserScripts } from "./render_vega.ts";

/** The container of the controls. Without this container, Vega would put the controls below the chart. */
const CONTROLS = '<div id="controls"></div>';

/** The styles of the page: outlines of focused elements, controls and tooltips. */
const STYLE = `<style>
#controls { padding: 0 ${look.padding}px; font-size: ${look.legend.size}px; }
#chart svg :focus-visible { outline: 2px solid currentColor; outline-offset: 3px; }
#controls select { max-width: 100%; }
#vg-tooltip-element { font-family: inherit; }
#vg-tooltip-element:not(.dark-theme) table tr td.key { color: ${look.muted}; }
</style>`;

/**
 * The script of the page. Vega's marks support only the mouse. This script makes the names of lines buttons for the
 * keyboard. The Tab key stops only once for all marks with a tooltip. Arrow keys move between
 * these marks: left and right along a line or row, up and down to another line or row. A tap shows the tooltip of the
 * nearest mark. Tooltips stay inside the window. The chart is redrawn if the page becomes narrower, if the reader's
 * system changes its color scheme, and by Escape.
 */
const PROGRAM = `
const chart = document.querySelector("#chart");
const night = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => theme === "dark" || theme === "auto" && night.matches;
const shownValue = (_, value) =>
  isDark() && Object.hasOwn(dark, value) ? dark[value] : value;
const rowOf = ({ __data__: { datum } }) => datum.tooltip.title;
const columnOf = ({ __data__: { datum } }) => datum.at;
const marks = () => [...chart.querySelectorAll("svg .role-mark path[aria-label]")];
const middleOf = (mark) => {
  const { x, y, width, height } = mark.getBoundingClientRect();
  return { clientX: x + width / 2, clientY: y + height / 2 };
};
const point = (mark, type) => {
  mark.dispatchEvent(new PointerEvent(type, { bubbles: true, ...middleOf(mark) }));
};
chart.addEventListener("pointermove", () => {
  const tooltip = document.querySelector("#vg-tooltip-element");
  if (tooltip === null) return;
  const { left, width } = tooltip.getBoundingClientRect();
  const most = document.documentElement.clientWidth - width - 4;
  tooltip.style.left = scrollX + Math.max(4, Math.min(left, most)) + "px";
});
/** The next mark in the direction of an arrow key. */
const nextOf = (mark, key) => {
  const across = key === "ArrowLeft" || key === "ArrowRight";
  const [same, place] = across ? [rowOf, "clientX"] : [columnOf, "clientY"];
  const sign = key === "ArrowLeft" || key === "ArrowUp" ? -1 : 1;
  const from = middleOf(mark)[place];
  return marks().filter((other) => same(other) === same(mark))
    .map((other) => ({ other, far: sign * (middleOf(other)[place] - from) }))
    .filter(({ other, far }) => far > 0.5 && other !== mark)
    .toSorted((a, b) => a.far - b.far)[0]?.other;
};
for (const [focus, move] of [["focusin", "pointermove"], ["focusout", "mouseout"]]) {
  chart.addEventListener(focus, ({ target }) => marks().includes(target) && point(target, move));
}
chart.addEventListener("click", ({ target, pointerType, clientX, clientY }) => {
  if (pointerType === "mouse" || target.getAttribute?.("role") === "button") return;
  const [nearest] = marks().map((mark) => {
    const at = middleOf(mark);
    return { mark, far: mark === target ? 0 : Math.hypot(at.clientX - clientX, at.clientY - clientY) };
  }).toSorted((a, b) => a.far - b.far);
  if (nearest?.far <= 24) point(nearest.mark, "pointermove");
});
new MutationObserver(() => {
  const all = marks();
  if (!all.some((mark) => mark.tabIndex === 0)) all[0]?.setAttribute("tabindex", "0");
  for (const name of chart.querySelectorAll("[role=button]")) name.setAttribute("tabindex", "0");
}).observe(chart, { childList: true, subtree: true });
chart.addEventListener("keydown", (event) => {
  const { target: mark, key, shiftKey } = event;
  if (/^Arrow/.test(key) && marks().includes(mark)) {
    event.preventDefault();
    const next = nextOf(mark, key);
    if (next === undefined) return;
    mark.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  }
  if (mark.getAttribute("role") !== "button" || key !== "Enter" && key !== " ") return;
  event.preventDefault();
  mark.dispatchEvent(new MouseEvent("click", { bubbles: true, shiftKey }));
});
addEventListener("keydown", ({ key }) => key === "Escape" && draw(true));
/** Removes the transparent outlines of the cells around points, which would make the picture wider. */
const patch = (spec) => {
  for (const { encode, ...group } of spec.marks ?? []) {
    if (encode?.update?.isVoronoi) delete encode.update.stroke;
    patch(group);
  }
  return spec;
};
const loader = vega.loader();
const sanitize = loader.sanitize.bind(loader);
loader.sanitize = async (uri, options) => {
  const isLink = /^(?:https?|mailto):/i.test(String(uri).trim());
  if (options?.context === "href" && !isLink) return {};
  return await sanitize(uri, options).catch(() => ({}));
};
let drawn;
let last = Promise.resolve();
const draw = (again) => {
  const room = document.querySelector("#controls").clientWidth;
  const chosen = specs.find(({ width }) => width <= room) ?? specs.at(-1);
  const id = specs.indexOf(chosen) + " " + isDark();
  if (id === drawn && again !== true) return;
  drawn = id;
  const shown = JSON.parse(JSON.stringify(chosen), shownValue);
  last = last.then((before) => {
    before?.finalize();
    const tooltip = { theme: isDark() ? "dark" : "light" };
    return vegaEmbed(chart, shown, { actions: false, bind: "#controls", renderer: "svg", tooltip, patch, loader });
  });
};
// Vega measures texts: without the fonts of the page, the picture would be wider than the spec.
Promise.all([...document.fonts].map((font) => font.load())).catch(() => {}).then(() => draw());
addTable(document, title, specs[0]);
addEventListener("resize", draw);
night.addEventListener("change", draw);
`;

/** The letters that a page can show beside those of its spec. */
const ASCII = String.fromCharCode(...Array.from({ length: 95 }, (_, at) => 32 + at));

/** Returns, for each color of a spec, the color of the dark theme. */
function darkColors(json: string, own: OwnDark = {}): Record<string, string> {
  const colors = new Set(json.match(/(?<=")#[0-9a-fA-F]{6}(?=")/g));
  return Object.fromEntries([...colors].map((color) => [color, darkColor(color, own)]));
}

/** Returns a chart as one interactive HTML document. The document shows the widest spec that fits the window. */
export async function vegaHtml(
  specs: readonly VegaSpec[],
  { title, theme, dark }: Coloring & { readonly title: string },
): Promise<string> {
  const scripts = await browserScripts();
  const $schema = "https://vega.github.io/schema/vega-lite/v6.json";
  const packed = packSpecs(specs.map((spec) => ({ ...withLook(spec), $schema })));
  const json = packed.specs + packed.tables;
  const values = Object.entries({
    specs: `unpacked(${packed.specs}, ${packed.tables})`,
    dark: JSON.stringify(theme === "light" ? {} : darkColors(json, dark)),
    theme: JSON.stringify(theme),
    title: JSON.stringify(title),
  }).map(([name, value]) => `const ${name} = ${value.replaceAll("<", "\\u003c")};`);
  const program = `(() => {${UNPACK}${TABLE}${values.join("\n")}${PROGRAM}})();`;
  return htmlPage({
    title,
    theme,
    fonts: await fontRules([], json + ASCII),
    body: `${STYLE}\n${CONTROLS}\n<div id="chart"></div>`,
    scripts: [...scripts, program].map((script) => `<script>${script}</script>`).join("\n"),
  });
}
