import type { FigureRow, Theme, VegaSpec } from "../chart.ts";
import { darkColor } from "../page/dark.ts";
import { hiddenTable, htmlPage } from "../page/svg.ts";
import { theme as look } from "../theme.ts";
import { withLook } from "./render_vega.ts";
import { browserScripts } from "./vega.ts";

/** The container of the controls. Without this container, Vega would put the controls below the chart. */
const CONTROLS = `<div id="controls" style="padding: 0 ${look.padding}px; ` +
  `font-size: ${look.legend.size}px"></div>`;

/** The styles of the page: outlines of focused elements, controls and tooltips. */
const STYLE = `<style>
#chart svg :focus-visible { outline: 2px solid currentColor; outline-offset: 3px; }
#controls select { max-width: 100%; }
#vg-tooltip-element { font-family: inherit; }
#vg-tooltip-element:not(.dark-theme) table tr td.key { color: ${look.muted}; }
</style>`;

/**
 * The script of the page. Vega's marks support only the mouse. This script turns clickable marks and legend names into
 * buttons for keyboard and screen readers. The Tab key stops only once for all marks with a tooltip. Arrow keys move
 * between these marks. Left and right move along a line or row, and up and down move to another line or row. A tap
 * shows the tooltip of the nearest mark. The chart is redrawn if the page becomes narrower, or if the reader's system
 * changes its color scheme.
 */
const PROGRAM = `
const chart = document.querySelector("#chart");
const night = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => theme === "dark" || theme === "auto" && night.matches;
const inDark = (_, value) => Object.hasOwn(dark, value) ? dark[value] : value;
const isButton = (mark) =>
  mark.matches(".role-legend-label text")
    ? mark.closest('[pointer-events="none"]') === null
    : mark.__data__?.cursor === "pointer" &&
      mark.closest('.role-legend-symbol, [aria-hidden="true"]') === null;
const rowOf = ({ datum }) => datum.group ?? datum.cohort ?? datum.name;
const columnOf = ({ datum }) => datum.when ?? datum.month;
const marks = () => [...chart.querySelectorAll("svg .role-mark path")].filter(({ __data__: item }) =>
  item?.tooltip && item.datum && rowOf(item) !== undefined
);
const middleOf = (mark) => {
  const { x, y, width, height } = mark.getBoundingClientRect();
  return { clientX: x + width / 2, clientY: y + height / 2 };
};
const point = (mark, type) => {
  mark.dispatchEvent(new PointerEvent(type, { bubbles: true, ...middleOf(mark) }));
};
const sayOf = (item) =>
  [rowOf(item), item.datum.when, item.datum.shown].filter((part) => part !== undefined).join(", ");
/** The next mark in the direction of an arrow key. */
const nextOf = (mark, key) => {
  const across = key === "ArrowLeft" || key === "ArrowRight";
  const [same, place] = across ? [rowOf, "clientX"] : [columnOf, "clientY"];
  const sign = key === "ArrowLeft" || key === "ArrowUp" ? -1 : 1;
  const from = middleOf(mark)[place];
  const ahead = marks().filter((other) => same(other.__data__) === same(mark.__data__))
    .map((other) => ({ other, far: sign * (middleOf(other)[place] - from) }))
    .filter(({ other, far }) => far > 0.5 && other !== mark);
  return ahead.toSorted((a, b) => a.far - b.far)[0]?.other;
};
const focusOn = (mark) => {
  for (const other of chart.querySelectorAll('svg .role-mark path[tabindex="0"]')) {
    if (other.getAttribute("role") !== "button") other.setAttribute("tabindex", "-1");
  }
  mark.setAttribute("tabindex", "0");
  if (mark.hasAttribute("aria-label")) return;
  mark.setAttribute("role", "img");
  mark.setAttribute("aria-label", sayOf(mark.__data__));
  mark.closest("[aria-hidden]")?.removeAttribute("aria-hidden");
};
chart.addEventListener("focusin", ({ target }) => {
  if (target.__data__?.tooltip) point(target, "pointermove");
});
chart.addEventListener("focusout", ({ target }) => {
  if (target.__data__?.tooltip) point(target, "mouseout");
});
/** The farthest that a tap may be from a point, in pixels. */
const NEAR = 24;
chart.addEventListener("click", ({ target, pointerType, clientX, clientY }) => {
  if (pointerType === "mouse" || target.getAttribute?.("role") === "button") return;
  const all = marks();
  const [nearest] = all.includes(target) ? [{ mark: target, far: 0 }] : all.map((mark) => {
    const at = middleOf(mark);
    return { mark, far: Math.hypot(at.clientX - clientX, at.clientY - clientY) };
  }).toSorted((a, b) => a.far - b.far);
  if (nearest?.far <= NEAR) point(nearest.mark, "pointermove");
});
new MutationObserver(() => {
  const first = marks()[0];
  if (first && !marks().some((mark) => mark.getAttribute("tabindex") === "0")) focusOn(first);
  for (const mark of chart.querySelectorAll("svg path, svg text")) {
    if (!isButton(mark)) continue;
    const label = mark.getAttribute("aria-label") ?? "";
    mark.setAttribute("aria-pressed", String(/, shown( alone)?$/.test(label)));
    mark.setAttribute("tabindex", "0");
    mark.setAttribute("role", "button");
    mark.removeAttribute("aria-roledescription");
    if (!mark.hasAttribute("aria-label")) {
      mark.setAttribute("aria-label", "show " + mark.textContent + " alone");
    }
  }
}).observe(chart, { childList: true, subtree: true });
chart.addEventListener("keydown", (event) => {
  const { target: mark, key, shiftKey } = event;
  if (/^Arrow/.test(key) && mark.__data__?.tooltip) {
    event.preventDefault();
    const next = nextOf(mark, key);
    if (next === undefined) return;
    focusOn(next);
    next.focus();
  }
  if (mark.getAttribute("role") !== "button" || key !== "Enter" && key !== " ") return;
  event.preventDefault();
  mark.dispatchEvent(new MouseEvent("click", { bubbles: true, shiftKey }));
});
// Escape undoes all choices.
addEventListener("keydown", ({ key }) => {
  if (key !== "Escape") return;
  drawn = undefined;
  draw();
});
let drawn;
let last = Promise.resolve();
const draw = () => {
  const room = document.querySelector("#controls").clientWidth;
  const chosen = specs.find(({ width }) => width <= room) ?? specs.at(-1);
  const spec = { ...data && { data }, ...chosen };
  const id = specs.indexOf(chosen) + " " + isDark();
  if (id === drawn) return;
  drawn = id;
  const shown = isDark() ? JSON.parse(JSON.stringify(spec), inDark) : spec;
  last = last.then((before) => {
    before?.finalize();
    const tooltip = { theme: isDark() ? "dark" : "light" };
    return vegaEmbed(chart, shown, { actions: false, bind: "#controls", renderer: "svg", tooltip });
  });
};
draw();
addEventListener("resize", draw);
night.addEventListener("change", draw);
`;

/** Returns, for each color of a spec, the color of the dark theme. */
function darkColors(json: string): Record<string, string> {
  const colors = new Set(json.match(/(?<=")#[0-9a-fA-F]{6}(?=")/g));
  return Object.fromEntries([...colors].map((color) => [color, darkColor(color)]));
}

/** The fields of a spec's rows that are useful to readers. */
const READABLE = [
  ...["group", "name", "cohort", "month", "when", "measure", "text", "shown", "interval", "share"],
  ...["users", "state"],
];

/** Returns the rows of a spec for a table. */
function rowsOf({ data }: VegaSpec): FigureRow[] {
  const { values = [] } = (data ?? {}) as { values?: readonly FigureRow[] };
  const names = READABLE.filter((name) => values.some((row) => name in row));
  return values.map((row) => Object.fromEntries(names.map((name) => [name, row[name] ?? null])));
}

/** Returns a chart as one interactive HTML document. The document shows the widest spec that fits the window. */
export async function specHtml(
  specs: readonly VegaSpec[],
  { title, theme }: { title: string; theme: Theme },
): Promise<string> {
  const scripts = await browserScripts();
  const $schema = "https://vega.github.io/schema/vega-lite/v6.json";
  // Rows that are equal in all specs are stored only once.
  const data = JSON.stringify(specs[0]!.data ?? null);
  const own = specs.map((spec) => {
    const { data: rows, ...rest } = withLook(spec);
    return { ...rest, ...JSON.stringify(rows) === data ? {} : { data: rows }, $schema };
  });
  const json = JSON.stringify(own);
  const values = Object.entries({
    data,
    specs: json,
    dark: JSON.stringify(theme === "light" ? {} : darkColors(data + json)),
    theme: JSON.stringify(theme),
  }).map(([name, value]) => `const ${name} = ${value.replaceAll("<", "\\u003c")};`);
  const program = `(() => {\n${values.join("\n")}${PROGRAM}})();`;
  return htmlPage({
    title,
    theme,
    body: `${STYLE}\n${CONTROLS}\n<div id="chart"></div>\n${hiddenTable(title, rowsOf(specs[0]!))}`,
    scripts: [...scripts, program].map((script) => `<script>${script}</script>`).join("\n"),
  });
}
