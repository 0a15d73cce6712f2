import type { VegaSpec } from "../chart.ts";
import { type DomDocument, Plot, type PlotOptions } from "../drawing/observable_plot.ts";
import type { Tip } from "../drawing/tip.ts";
import type { Block } from "../page/page.ts";
import { theme } from "../theme.ts";

/** An element that Plot drew, with the index of its row, or with the indexes of the points of a line. */
interface Element {
  readonly tagName: string;
  readonly textContent: string;
  readonly children: Iterable<Element>;
  readonly parentNode: Element | null;
  readonly __data__: number | readonly number[];
  getAttribute(name: string): string | null;
}

/** A mark that Plot drew, with its channels in pixels and as data. */
interface DrawnMark {
  readonly group: Element;
  readonly pixels: Readonly<Record<string, readonly unknown[]>>;
  readonly channels: Readonly<
    Record<string, { readonly value: readonly unknown[]; readonly scale: string | null }>
  >;
}

type Row = Readonly<Record<string, unknown>>;

/** Properties of Vega's marks, with their attributes in SVG. */
const STYLES = {
  fill: "fill",
  stroke: "stroke",
  fillOpacity: "fill-opacity",
  strokeOpacity: "stroke-opacity",
  strokeWidth: "stroke-width",
  strokeDash: "stroke-dasharray",
  fontSize: "font-size",
  fontWeight: "font-weight",
  align: "text-anchor",
} as const;

const ALIGN: Readonly<Record<string, string>> = { start: "left", middle: "center", end: "right" };

function styleOf(element: Element): Row {
  return Object.fromEntries(
    Object.entries(STYLES).flatMap(([name, attribute]) => {
      const text = element.getAttribute(attribute);
      if (text === null || text === "none") return [];
      const dashes = name === "strokeDash" ? text.split(" ").map(Number) : undefined;
      return [[name, dashes ?? ALIGN[text] ?? (Number(text) || text)]];
    }),
  );
}

/** For each element that Plot draws: the mark of Vega, and the attributes of its position in pixels. */
const SHAPES: Readonly<Record<string, readonly [type: string, attributes: readonly string[]]>> = {
  CIRCLE: ["point", ["cx", "cy"]],
  RECT: ["rect", ["x", "y", "width", "height"]],
  LINE: ["rule", ["x1", "y1", "x2", "y2"]],
  // A link or a tick is a path of two points.
  PATH: ["rule", ["d"]],
  TEXT: ["text", ["x"]],
};

/** Returns the position of an element in pixels, and its text. */
function placeOf(element: Element): Row {
  const [type, attributes] = SHAPES[element.tagName]!;
  const [x = 0, y = 0, x2, y2] = attributes.flatMap((name) =>
    (element.getAttribute(name) ?? "0").match(/-?[\d.]+(e-\d+)?/g)!.map(Number)
  );
  let [left, top] = [0, 0];
  for (let at: Element | null = element; at?.getAttribute; at = at.parentNode) {
    const move = /translate\(([^,]+),([^)]+)/.exec(at.getAttribute("transform") ?? "");
    left += Number(move?.[1] ?? 0);
    top += Number(move?.[2] ?? 0);
  }
  const place = { x: x + left, y: y + top };
  if (type === "text") {
    const lines = [...element.children];
    // Plot sets `y` in multiples of the size of the text.
    const down = (lines[0] ?? element).getAttribute("y") ?? "0";
    const size = Number(
      element.getAttribute("font-size") ?? element.parentNode?.getAttribute("font-size") ??
        theme.label.size,
    );
    return {
      x: place.x,
      y: place.y + Number.parseFloat(down) * (down.endsWith("em") ? size : 1),
      text: lines.length === 0 ? element.textContent : lines.map((line) => line.textContent),
    };
  }
  if (x2 === undefined) return place;
  const from = type === "rect" ? place : { x: left, y: top };
  return { ...place, x2: from.x + x2, y2: from.y + y2! };
}

/** The channels of marks of Plot that have their positions as data if their scale is a scale of numbers or dates. */
const CHANNELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  dot: { x: "x", y: "y" },
  bar: { x: "x1", x2: "x2" },
  line: { x: "x", y: "y" },
  area: { x: "x1", y: "y1", y2: "y2" },
};

/** Returns the text of a mark for screen readers. */
function saysOf({ title, at, values }: Tip): string {
  const texts = Object.entries(values).map(([name, text]) =>
    name === "value" ? text : `${name} ${text}`
  );
  return `${title}${at === undefined ? "" : `, ${at}`}: ${texts.join(", ")}`;
}

/** The options of marks without a tooltip, which are hidden from screen readers. */
const quiet = { clip: false, tooltip: null, aria: false };

const SHOWN = { tooltip: { expr: "datum.tooltip" }, description: { expr: "datum.says" } };

const ALONE = { expr: "'show ' + datum.group + ' alone'" };
/** The options of names that select a line. Vega-Lite ignores clicks on marks without a tooltip. */
const BUTTON = {
  ...{ aria: true, ariaRole: "button", cursor: "pointer" },
  ...{ description: ALONE, tooltip: ALONE },
};

/** A position in pixels. */
const inPlace = (field: string): VegaSpec => (
  { field, type: "quantitative", axis: null, scale: null }
);

/** The options of a view. */
interface ViewOptions {
  readonly document: DomDocument;
  readonly tooltipOf: (tip: Tip) => Readonly<Record<string, string>>;
  /** The name of the selection of a line. */
  readonly selection: string;
}

/** Draws a mark of Plot as a layer. `axes` are the scales of numbers and dates. */
function layerOf(
  { group, pixels, channels }: DrawnMark,
  axes: VegaSpec = {},
  view?: ViewOptions,
): VegaSpec {
  const kind = group.getAttribute("aria-label") ?? "";
  const children = [...group.children];
  const elements = children.length === 0 ? [group] : children;
  const isSeries = kind === "line" || kind === "area";
  const type = isSeries ? kind : SHAPES[elements[0]!.tagName]![0];
  const places = Object.entries(CHANNELS[kind] ?? {}).map(([field, name]) => {
    const { scale, value } = channels[name] ?? {};
    return scale != null && scale in axes
      ? { field, isData: true, values: value! }
      : { field, isData: false, values: isSeries ? pixels[name]! : [] };
  });
  const rows = elements.flatMap((element, series) =>
    // A gap in a line has the index −1.
    [element.__data__].flat().map((at, _, all): Row => {
      const tip = (pixels.tip?.[at] as (() => Tip) | undefined)?.();
      return {
        ...isSeries ? { series } : placeOf(element),
        ...Object.fromEntries(
          places.filter(({ isData }) => isData || isSeries)
            .map(({ field, values }) => [field, values[at]?.valueOf() ?? null]),
        ),
        ...element !== group && styleOf(element),
        ...pixels.group && { group: pixels.group[at < 0 ? Math.max(...all) : at] },
        ...tip && {
          tooltip: view!.tooltipOf(tip),
          says: saysOf(tip),
          ...tip.at !== undefined && { at: tip.at },
        },
      };
    })
  );
  const [first] = rows as [Row];
  const style = styleOf(group);
  const isShown = rows.some(({ says }) => says !== undefined);
  const encoding = (fields: readonly string[], of: (field: string) => VegaSpec) =>
    Object.fromEntries(
      fields.flatMap((field) => rows.some((row) => field in row) ? [[field, of(field)]] : []),
    );
  const layer = {
    mark: {
      ...{ type, opacity: 1, strokeWidth: 1, ...quiet },
      filled: type === "text" || "fill" in { ...style, ...first },
      ...type === "point" && { size: Math.PI * Number(elements[0]!.getAttribute("r")) ** 2 },
      ...type === "text" && { baseline: "alphabetic", lineHeight: theme.label.line },
      ...style,
      ...isShown && !isSeries && SHOWN,
      ...type === "text" && pixels.group && BUTTON,
    },
    encoding: {
      ...encoding(Object.keys(STYLES), (field) => (
        { field, type: /Opacity|Width/.test(field) ? "quantitative" : "nominal", scale: null }
      )),
      ...isSeries && { detail: { field: "series" }, order: { value: null } },
      ...type !== "text" && pixels.group &&
        { opacity: { condition: { param: view!.selection, value: 1 }, value: 0.2 } },
    },
  };
  // A second text without outline covers the outline's inner half, which covers the first text.
  const inner = { ...layer, mark: { ...layer.mark, stroke: null } };
  return {
    data: { values: rows },
    encoding: {
      ...encoding(
        ["x", "y"],
        (name) =>
          places.some(({ field, isData }) => isData && field === name)
            ? { field: name }
            : inPlace(name),
      ),
      ...encoding(["x2", "y2", "text"], (field) => ({ field })),
    },
    layer: [
      layer,
      ...type === "text" && "stroke" in style ? [inner] : [],
    ],
  };
}

/**
 * Draws hidden points on lines, so that the tooltip is that of the nearest point, wherever a reader points. There is one
 * layer of points for a panel, because a point hides those of the layers below it.
 */
function snappingLayer(layers: readonly VegaSpec[], { selection }: ViewOptions): VegaSpec {
  const { encoding } = layers[0] as { readonly encoding: VegaSpec };
  const values = layers.flatMap(({ data }) => (data as { readonly values: readonly Row[] }).values)
    .filter(({ says, y }) => says !== undefined && y !== null);
  return {
    data: { values },
    encoding,
    layer: [{
      mark: { type: "point", filled: true, size: 80, fillOpacity: 0, ...SHOWN },
      params: [{
        name: `${selection}_nearest`,
        select: { type: "point", nearest: true, on: "pointerover", clear: "pointerout" },
      }],
    }],
  };
}

/** Returns whether a layer draws lines whose points have tooltips. */
function hasTips({ data, layer }: VegaSpec): boolean {
  const [{ mark }] = layer as readonly [{ readonly mark: { readonly type: string } }];
  return (mark.type === "line" || mark.type === "area") &&
    (data as { readonly values: readonly Row[] }).values.some(({ says }) => says !== undefined);
}

/** Adds hidden points above the lines of a panel, and leaves their tooltips to these points. */
function withSnapping(layers: readonly VegaSpec[], view: ViewOptions): VegaSpec[] {
  const lines = layers.filter(hasTips);
  if (lines.length === 0) return [...layers];
  const last = layers.lastIndexOf(lines.at(-1)!);
  const bare = layers.map((layer) => lines.includes(layer) ? withoutTips(layer) : layer);
  return [...bare.slice(0, last + 1), snappingLayer(lines, view), ...bare.slice(last + 1)];
}

function withoutTips(layer: VegaSpec): VegaSpec {
  const { values } = layer.data as { readonly values: readonly Row[] };
  return {
    ...layer,
    data: { values: values.map(({ says: _, tooltip: __, at: ___, ...row }) => row) },
  };
}

/** Draws a block of a page as layers, `top` pixels below the top of a view. */
export function blockLayers(
  { svg }: Block,
  { document, left = 0, top = 0 }: {
    readonly document: DomDocument;
    readonly left?: number;
    readonly top?: number;
  },
): VegaSpec[] {
  const holder = document.createElement("div");
  // Texts begin at their position, unlike those of Plot.
  const texts = svg.replaceAll("<text ", '<text text-anchor="start" ');
  holder.innerHTML = `<svg transform="translate(${left},${top})">${texts}</svg>`;
  const elements = holder.querySelectorAll("rect,path,circle,text") as unknown as Iterable<Element>;
  return [...elements].map((group) => layerOf({ group, pixels: {}, channels: {} }));
}

/** Draws a panel of Plot as a view of Vega-Lite, with one layer for each mark. */
export function panelView(
  { title: _, subtitle: __, marks = [], ...options }: PlotOptions,
  view: ViewOptions,
): VegaSpec & { readonly layer: readonly VegaSpec[] } {
  const drawn: DrawnMark[] = [];
  const watched = (marks.flat(Infinity as 1) as (Plot.RenderableMark | null)[]).flatMap((mark) => {
    if (mark === null) return [];
    // Marks of axes set their own properties before they are drawn.
    const own: Plot.RenderableMark = Object.create(mark);
    own.render = (index, scales, values, ...more) => {
      const group = mark.render.call(own, index, scales, values, ...more);
      const { channels, ...pixels } = values;
      if (group !== null) drawn.push({ group, channels, pixels } as unknown as DrawnMark);
      return group;
    };
    return [own];
  });
  const plot = Plot.plot({ ...options, marks: watched, figure: false, document: view.document });
  const axes = Object.fromEntries((["x", "y"] as const).flatMap((name) => {
    const { type = "", domain = [], range } = plot.scale(name) ?? {};
    const scale = {
      ...type === "log" ? { type } : { type: "linear", zero: false },
      ...{ domain: [...domain].map(Number), range, nice: false },
    };
    return /linear|log|utc/.test(type) ? [[name, { ...inPlace(name), scale }]] : [];
  }));
  // A selection belongs to one layer, and reacts to the marks of all layers.
  const selecting = {
    data: { values: [] },
    mark: "point",
    params: [{
      name: view.selection,
      select: { type: "point", fields: ["group"], toggle: "true", on: "click" },
    }],
  };
  return {
    ...{ width: options.width, height: options.height, encoding: axes },
    layer: [...withSnapping(drawn.map((mark) => layerOf(mark, axes, view)), view), selecting],
  };
}
