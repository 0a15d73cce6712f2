import { DARK } from "../colors.ts";
import { lab, rgb } from "../d3.ts";
import { theme } from "../theme.ts";

/** Colors of the dark theme that a user gives, by color of the light theme. */
export type OwnDark = Readonly<Record<string, string>>;

/**
 * Returns the color of the dark theme for a color of the light theme. If neither the user nor the dark theme defines
 * this color, returns a lighter version of the color.
 */
export function darkColor(color: string, own: OwnDark = {}): string {
  const light = color.toLowerCase();
  const known = own[light] ?? DARK[light];
  if (known !== undefined) return known;
  const { l, a, b } = lab(light);
  return lab(55 + 0.35 * l, a, b).formatHex();
}

/** Returns the relative luminance of a color, as WCAG 2.2 defines it. */
function luminance(color: string): number {
  const { r, g, b } = rgb(color);
  const linear = (value: number) =>
    value <= 10.31475 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

/**
 * Returns whether dark text has more contrast than light text on a color. Dark and light text have equal contrast on a
 * color of luminance 0.179.
 */
function wantsDark(color: string): boolean {
  return luminance(color) > 0.179;
}

/** Returns the text color for a background. The text is readable in both themes. */
export function inkOn(color: string): string {
  const [light, dark] = [wantsDark(color), wantsDark(darkColor(color))];
  if (light === dark) return light ? theme.dark : theme.light;
  return light ? theme.onNear : theme.onFar;
}

/** Returns a color in which a text on the page has a contrast of 4.5 in both themes, in the hue of a line. */
export function textColor(color: string): string {
  const { l, a, b } = lab(color);
  const readable = (l: number): string => {
    const text = lab(l, a, b).formatHex();
    const [light, dark] = [luminance(text), luminance(darkColor(text))];
    return l <= 5 || light <= 0.18 && dark >= 0.21 ? text : readable(l - 2);
  };
  return readable(l);
}

const COLORED = /\b(fill|stroke|stop-color)="(#[0-9a-fA-F]{6})"/g;

/** Matches the opacity of a pale area, such as a confidence band. */
const PALE = /\bfill-opacity="(0?\.[12]\d*)"/g;

/** Returns the opacity of a pale area on a dark page, where the same opacity has less contrast. */
function darkOpacity(opacity: string): number {
  return Number((2 * Number(opacity)).toFixed(2));
}

/** Converts a light drawing to the colors of the dark theme. */
export function darkSvg(svg: string, own: OwnDark = {}): string {
  return svg
    .replace(PALE, (_, opacity) => `fill-opacity="${darkOpacity(opacity)}"`)
    .replace(COLORED, (_, name, color) => `${name}="${darkColor(color, own)}"`);
}

/** Returns a color with an opacity, as `#rrggbbaa`. */
function withAlpha(color: string, opacity: number): string {
  return color + Math.round(255 * opacity).toString(16).padStart(2, "0");
}

const CLASS = "chainframe-auto";

/**
 * Converts a light drawing to a drawing that turns dark on a dark page. If the drawing is a file of its own, its theme
 * is that of the reader's system. The drawing is light in programs that do not support the CSS function `light-dark`,
 * and on pages without a color scheme, such as the classic notebook.
 */
export function autoSvg(svg: string, own: OwnDark = {}): string {
  const rules = new Map<string, string>();
  for (const [, name, color] of svg.matchAll(COLORED)) {
    const selector = `[${name}="${color}"]`;
    rules.set(
      `.${CLASS}${selector},.${CLASS} ${selector}`,
      `{${name}:light-dark(${color},${darkColor(color!, own)})}`,
    );
  }
  for (const [tag] of svg.matchAll(/<[^>]*\bfill-opacity="0?\.[12][^>]*>/g)) {
    const [[, opacity]] = [...tag.matchAll(PALE)] as [RegExpExecArray];
    const color = /\bfill="(#[0-9a-fA-F]{6})"/.exec(tag)?.[1];
    if (color === undefined) continue;
    const light = withAlpha(color, Number(opacity));
    const dark = withAlpha(darkColor(color, own), darkOpacity(opacity!));
    rules.set(
      `.${CLASS} [fill="${color}"][fill-opacity="${opacity}"]`,
      `{fill:light-dark(${light},${dark});fill-opacity:1}`,
    );
  }
  const body = [...rules].map(([selector, rule]) => selector + rule).join("");
  const style = "<style>@supports (color:light-dark(red,red)){" +
    `svg:root{color-scheme:light dark}${body}}</style>`;
  return svg.replace(/<svg ([^>]*)>/, (_, attributes: string) => {
    const classed = /\bclass="/.test(attributes)
      ? attributes.replace(/\bclass="/, `class="${CLASS} `)
      : `class="${CLASS}" ${attributes}`;
    return `<svg ${classed}>${style}`;
  });
}

/** Replaces the colors in plain data, such as a Vega-Lite spec, with the colors of the dark theme. */
export function darkData<T>(value: T, own: OwnDark = {}): T {
  if (typeof value === "string") {
    return (/^#[0-9a-fA-F]{6}$/.test(value) ? darkColor(value, own) : value) as T;
  }
  if (Array.isArray(value)) return value.map((each) => darkData(each, own)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, darkData(each, own)]),
  ) as T;
}
