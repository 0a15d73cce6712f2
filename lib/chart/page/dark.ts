import { DARK } from "../colors.ts";
import { theme } from "../theme.ts";

type Triple = readonly [number, number, number];

function linear(color: string): Triple {
  const channel = (start: number) => {
    const value = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

function hex(rgb: readonly number[]): string {
  return `#${
    rgb.map((value) => {
      const bounded = Math.min(1, Math.max(0, value));
      const encoded = bounded <= 0.0031308 ? 12.92 * bounded : 1.055 * bounded ** (1 / 2.4) - 0.055;
      return Math.round(encoded * 255).toString(16).padStart(2, "0");
    }).join("")
  }`;
}

/** OKLab after Ottosson (2020): equal steps of lightness look equal. */
function oklab(color: string): Triple {
  const [r, g, b] = linear(color);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function fromOklab([light, a, b]: Triple): string {
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return hex([
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]);
}

/** The colour of the dark theme for one of the light: from its table, else lifted off the dark paper. */
export function darkColor(color: string): string {
  const light = color.toLowerCase();
  const known = DARK[light];
  if (known !== undefined) return known;
  const [lightness, a, b] = oklab(light);
  return fromOklab([0.62 + 0.25 * lightness, a, b]);
}

function luminance(color: string): number {
  const [r, g, b] = linear(color);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Whether dark text is read better on a colour than light text: above the luminance where both are equal. */
function wantsDark(color: string): boolean {
  return luminance(color) > 0.179;
}

/** The colour of a text on a colour, such that it can be read in both themes. */
export function inkOn(color: string): string {
  const [light, dark] = [wantsDark(color), wantsDark(darkColor(color))];
  if (light === dark) return light ? theme.dark : theme.light;
  return light ? theme.onNear : theme.onFar;
}

const COLORED = /\b(fill|stroke|stop-color)="(#[0-9a-fA-F]{6})"/g;

/** A light drawing in the colours of the dark theme. */
export function darkSvg(svg: string): string {
  return svg.replace(COLORED, (_, name, color) => `${name}="${darkColor(color)}"`);
}

const CLASS = "chainframe-auto";

/**
 * A light drawing that turns dark on a page that is dark, and as a file of its own where the reader's system asks
 * for it; programs that know no `light-dark` show the light one. A page that does not say what it is, such as that
 * of the classic notebook, is light, whatever the system.
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

/** Plain data, such as a Vega-Lite spec, with every colour that stands in it as the dark theme has it. */
export function darkData<T>(value: T): T {
  if (typeof value === "string") {
    return (/^#[0-9a-fA-F]{6}$/.test(value) ? darkColor(value) : value) as T;
  }
  if (Array.isArray(value)) return value.map(darkData) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, darkData(each)])) as T;
}
