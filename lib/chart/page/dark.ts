import { DARK } from "../colors.ts";
import { lab, rgb } from "../d3.ts";
import { theme } from "../theme.ts";

/** The dark color for a light one: from the table of the theme, else a lighter version of the color. */
export function darkColor(color: string): string {
  const light = color.toLowerCase();
  const known = DARK[light];
  if (known !== undefined) return known;
  const { l, a, b } = lab(light);
  return lab(55 + 0.35 * l, a, b).formatHex();
}

/** The relative luminance of a color, as WCAG 2.2 defines it. */
function luminance(color: string): number {
  const { r, g, b } = rgb(color);
  const linear = (value: number) =>
    value <= 10.31475 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

/** Whether dark text has more contrast than light text on a color: above the luminance at which both are equal. */
function wantsDark(color: string): boolean {
  return luminance(color) > 0.179;
}

/** The text color for a background, readable in both themes. */
export function inkOn(color: string): string {
  const [light, dark] = [wantsDark(color), wantsDark(darkColor(color))];
  if (light === dark) return light ? theme.dark : theme.light;
  return light ? theme.onNear : theme.onFar;
}

const COLORED = /\b(fill|stroke|stop-color)="(#[0-9a-fA-F]{6})"/g;

/** A light drawing in the colors of the dark theme. */
export function darkSvg(svg: string): string {
  return svg.replace(COLORED, (_, name, color) => `${name}="${darkColor(color)}"`);
}

const CLASS = "chainframe-auto";

/**
 * A light drawing that turns dark on a dark page and, as a file, with the reader's system. Programs without
 * `light-dark` show the light version. On a page without a color scheme, such as the classic notebook, it is light.
 */
export function autoSvg(svg: string): string {
  const rules = new Map<string, string>();
  for (const [, name, color] of svg.matchAll(COLORED)) {
    const selector = `[${name}="${color}"]`;
    rules.set(
      `.${CLASS}${selector},.${CLASS} ${selector}`,
      `{${name}:light-dark(${color},${darkColor(color!)})}`,
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

/** Plain data, such as a Vega-Lite spec, with its colors replaced by those of the dark theme. */
export function darkData<T>(value: T): T {
  if (typeof value === "string") {
    return (/^#[0-9a-fA-F]{6}$/.test(value) ? darkColor(value) : value) as T;
  }
  if (Array.isArray(value)) return value.map(darkData) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, darkData(each)])) as T;
}
