import { readingText } from "../table/read/reading_text.ts";
import { boolean, checkOptions, listOf, type Refuse, required } from "../platform/check_options.ts";
import { displayedAs } from "../platform/jupyter.ts";
import { aLocale } from "../platform/locale.ts";
import { counted, listed, notify, shown, terminalText } from "../platform/terminal.ts";
import { inputName } from "../table/show/display.ts";
import { escapeMarkup } from "../table/show/html_table.ts";
import { type DataFrame, pl } from "../table/columns/polars.ts";
import { annotationOf, type Input, inputsOf, noteStep } from "../table/track/provenance.ts";
import { noteOutput } from "../table/track/own_data.ts";
import { track } from "../table/track/track.ts";
import type { Cell } from "./cell.ts";
import { isMarkdown, type Markdown, markdownHtml } from "./markdown.ts";
import {
  cellHtml,
  chartNumbersHtml,
  type ChartTexts,
  isSample,
  numbersHtml,
} from "./numbers_table.ts";
import { headHtml, rowHtml, tableHtml } from "./page_table.ts";
import { readerTable } from "./reader_table.ts";

type Options = Parameters<typeof report>[0];
type Part = Options["parts"][number];
type Drawing = Exclude<Part, Markdown | DataFrame>;

/**
 * A page of texts, tables and charts. Pass the report to `save`, or display it in a notebook.
 *
 * @category Output
 */
export interface Report {
  /** The title of the page. */
  readonly title: string;
  /** An empty frame with the provenance of all parts. Undefined if no part has a provenance. */
  readonly source: DataFrame | undefined;
  /** Returns the page as one HTML file. */
  html(): Promise<string>;
}

const STYLE = `
:root{color-scheme:light dark;--ink:light-dark(#1b1f24,#e6edf3);--soft:light-dark(#57606a,#9aa4af);--line:light-dark(#d0d7de,#3d444d);--page:light-dark(#fff,#0d1117);--shade:light-dark(#0003,#fff3)}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:50rem;margin:0 auto;padding:2rem 1rem}
h1{font-size:1.9rem;line-height:1.2}
h2{font-size:1.3rem;margin-top:2.5rem}
a{color:light-dark(#0550ae,#79b8ff)}
.notice{border:1px solid;padding:.5rem .8rem;font-weight:600}
figure{margin:2rem -20px}
figure svg{display:block;max-width:100%;height:auto}
.middle,.narrow{display:none}
@media(max-width:51rem){main{padding:1rem 20px}.wide{display:none}.middle{display:block}}
@media(max-width:34.9rem){.middle{display:none}.narrow{display:block}}
.table{margin:2rem 0 .5rem;overflow-x:auto;background:linear-gradient(90deg,var(--page) 1rem,transparent) local,linear-gradient(270deg,var(--page) 1rem,transparent) 100% 0/2rem 100% no-repeat local,linear-gradient(90deg,var(--shade),transparent) 0 0/.8rem 100% no-repeat,linear-gradient(270deg,var(--shade),transparent) 100% 0/.8rem 100% no-repeat}
iframe{width:100%;height:32rem;border:0}
table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}
th,td{padding:.25rem .8rem .25rem 0;text-align:left;vertical-align:bottom}
th{min-width:5rem}
.number{text-align:right}
.date{white-space:nowrap}
tr{border-bottom:1px solid var(--line)}
.soft{color:var(--soft)}
p+.soft{margin-top:-.8rem}
@media print{main{max-width:none;padding:0}figure,tr{break-inside:avoid}h2{break-after:avoid}.table{overflow:visible}.wide{display:block}.middle,.narrow{display:none}}
`;

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:";
/** Vega compiles expressions, which needs `unsafe-eval`. */
const SCRIPTED = `${POLICY}; script-src 'unsafe-inline' 'unsafe-eval'`;

/** Fills the frames of interactive charts. The scripts that they share are stored once in the page. */
const FRAMES = `for (const frame of document.querySelectorAll("iframe[data-page]")) {
const fit = () => frame.style.height = frame.contentDocument.documentElement.scrollHeight + 20 + "px";
frame.addEventListener("load", () => {
new frame.contentWindow.ResizeObserver(fit).observe(frame.contentDocument.body);
});
frame.srcdoc = frame.dataset.page.replace(/<!--code (\\d+)-->/g, (_, at) =>
"<script>" + document.querySelector("#code-" + at).textContent + "<\\/script>");
}`;

function isFrame(part: unknown): part is DataFrame {
  return typeof (part as DataFrame | null)?.toRecords === "function";
}

function isDrawing(part: unknown): part is Drawing {
  return typeof (part as Drawing | null)?.svg === "function";
}

function isChart(part: Part): part is Drawing {
  return !isMarkdown(part) && !isFrame(part);
}

function aPart(part: unknown, refuse: Refuse): Part {
  if (isMarkdown(part) || isFrame(part) || isDrawing(part)) return part;
  return refuse(`must be texts made by md, frames or charts; got ${shown(part)}`);
}

function aTitle(title: unknown, refuse: Refuse): string {
  return typeof title === "string" && title.trim() !== "" ? title : refuse("must be a text");
}

const RULES = {
  title: required(aTitle),
  parts: required(listOf(aPart)),
  interactive: boolean,
  locale: aLocale,
};

/**
 * Prepares a drawing for a page with several drawings. Makes its ids unique. Removes the labels of its parts, so that
 * screen readers read only the label of the whole drawing.
 */
function inlineSvg(svg: string, at: string): string {
  const head = svg.indexOf(">") + 1;
  const own = svg.slice(head)
    .replace(/\s(?:role|aria-[a-z]+)="[^"]*"/g, "")
    .replace(/\bid="([^"]+)"/g, `id="part-${at}-$1"`)
    .replace(/\bhref="#([^"]+)"/g, `href="#part-${at}-$1"`)
    .replace(/url\(#([^)]+)\)/g, `url(#part-${at}-$1)`);
  return svg.slice(0, head) + own;
}

/** The widths of the drawings for narrow windows, with their classes in the style sheet. */
const NARROWER = [{ width: 560, name: "middle" }, { width: 360, name: "narrow" }];

/** Returns the interactive version of a chart. Undefined if its form has no interactive version. */
function interactiveOf(drawing: Drawing): { html(): Promise<string> } | undefined {
  try {
    return drawing.interactive?.();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns a frame with an interactive chart. Adds its scripts to `codes`. */
function frameHtml(title: string, page: string, codes: string[]): string {
  const bare = page.replace(/<script>([^]*?)<\/script>/g, (_, code: string) => {
    if (!codes.includes(code)) codes.push(code);
    return `<!--code ${codes.indexOf(code)}-->`;
  });
  return `<figure><iframe title="${escapeMarkup(title)}" data-page="${
    escapeMarkup(bare)
  }"></iframe></figure>`;
}

async function partHtml(
  part: Part,
  { at, cells, locale }: {
    readonly at: number;
    readonly cells: Cell[];
    readonly locale: string | undefined;
  },
): Promise<string> {
  if (isMarkdown(part)) {
    return await markdownHtml(part, (each) => cellHtml(each, cells.push(each)));
  }
  if (isFrame(part)) return readerTable(part, { at, locale });
  const whole = await part.svg();
  const own = Number(/ width="(\d+)/.exec(whole)?.[1] ?? 0);
  const narrower = NARROWER.filter(({ width }) => own > width);
  const narrow = await Promise.all(narrower.map(({ width }) => part.svg({ width })));
  const drawn = [...new Set([whole, ...narrow])];
  // A chart of the user's own spec is the same at every width.
  const classes = drawn.length > 1 ? ["wide", ...narrower.map(({ name }) => name)] : [""];
  const figures = drawn.map((svg, index) =>
    `<div class="${classes[index]}">${inlineSvg(svg, `${at}-${index}`)}</div>`
  );
  return `<figure>${figures.join("")}</figure>`;
}

function frameOf(part: Part): DataFrame | undefined {
  const frame = isFrame(part) ? part : isDrawing(part) ? part.source : undefined;
  return frame === undefined || annotationOf(frame) === undefined ? undefined : frame;
}

/** Returns an empty frame with the provenance and entity errors of all parts. */
function sourceOf(parts: readonly Part[]): DataFrame | undefined {
  const cells = parts.flatMap((part) => isMarkdown(part) ? part.cells : []);
  const frames = [...parts, ...cells.map(({ frame }) => frame)].map(frameOf)
    .filter((frame) => frame !== undefined);
  if (frames.length === 0) return undefined;
  const made = track(pl.DataFrame({}));
  noteStep(frames.map(track), made, { name: "report" });
  return made;
}

const isoDay = (date: Date | null) =>
  date === null ? "not stated" : date.toISOString().slice(0, 10);

/** Returns a value of a query as text, without the syntax of JSON. */
function words(value: unknown): string {
  if (Array.isArray(value)) return value.map(words).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Returns the digest of an input. */
function digestOf(input: Input): string {
  if (input.kind === "response") return input.sha256;
  return (input.kind === "given" ? input.frame_sha256 : input.file_sha256) ?? "";
}

function sourceRow(input: Input): string {
  const { query = {}, source = "", sample, retrieved_at, data_through } = input;
  const asked = Object.entries(query)
    .map(([name, value]) => `${name.replaceAll("_", " ")}: ${words(value)}`).join("; ");
  const [url, license] = input.kind === "given" ? [input.url, input.license] : [];
  const cells = [
    input.kind === "response" ? input.operation.replaceAll("_", " ") : inputName(input),
    [asked, url].filter(Boolean).join("; "),
    sample ? "SAMPLE DATA" : { service: "live", cache: "cache" }[source as string] ?? input.kind,
    license ?? "",
    retrieved_at?.toISOString().replace(/\.\d+Z$/, "Z") ?? "",
    data_through === undefined ? "" : isoDay(data_through),
    digestOf(input).slice(0, 16),
  ];
  return rowHtml(cells);
}

function sourcesHtml(source: DataFrame | undefined): string {
  const annotation = source && annotationOf(source);
  const inputs = inputsOf(annotation?.provenance);
  const isKnown = (each: Input) => each.kind !== "unknown" || each.file !== null;
  if (annotation === undefined || !inputs.some(isKnown)) {
    return "<h2>Sources</h2><p>The sources of this page are not known.</p>";
  }
  const { errors } = annotation;
  const sources = new Map(
    inputs.map((each) => [
      JSON.stringify([inputName(each), each.query, digestOf(each)]),
      each,
    ]),
  );
  const missing = new Set(
    errors.toRecords().map(({ code, field, value }) => `${code}: ${field} ${value}`),
  );
  const heads = [
    ...["Operation", "Query", "Source", "License", "Retrieved (UTC)", "Data through", "SHA-256"],
  ];
  const lost = missing.size === 0
    ? ""
    : `<p>Not found: ${[...missing].map(escapeMarkup).join("; ")}.</p>`;
  const rows = [...sources.values()].map(sourceRow);
  return `<h2>Sources</h2>${tableHtml("Sources", heads.map(headHtml), rows)}${lost}`;
}

/** Describes who the rows of the frames are, and when, as functions read them. */
function readingsHtml(frames: readonly (DataFrame | undefined)[]): string {
  const texts = new Set(frames.flatMap((frame) => frame === undefined ? [] : [readingText(frame)]));
  return [...texts].map((text) => `<p class="soft">Read as: ${escapeMarkup(text)}</p>`).join("");
}

/** Returns the texts of a chart. A drawing that is not a chart of this package has only a title. */
async function chartTexts(drawing: Drawing): Promise<ChartTexts> {
  const { title, field = "", source } = drawing;
  type Texts = { subtitle?: string; caption?: readonly string[]; parts?: readonly Texts[] };
  const textsOf = ({ subtitle = "", caption = [], parts = [] }: Texts): string[] => [
    subtitle,
    ...caption,
    ...parts.flatMap(textsOf),
  ];
  return { title, texts: textsOf(Object(await drawing.spec)), field, source };
}

/** Returns the notice of sample data: for the whole page, or for the numbers, tables and charts that have it. */
function sampleNotice(parts: readonly Part[], cells: readonly Cell[]): string {
  const of = (name: string, all: readonly { readonly at: number; readonly sample: boolean }[]) => {
    const sample = all.filter(({ sample }) => sample).map(({ at }) => at);
    const noun = sample.length === 1 ? name : `${name}s`;
    return { all: all.length, sample: sample.length, text: `${noun} ${sample.join(", ")}` };
  };
  const numbered = (some: readonly (DataFrame | undefined)[]) =>
    some.map((frame, index) => ({ at: index + 1, sample: isSample(frame) }));
  const kinds = [
    of("number", numbered(cells.map(({ frame }) => frame))),
    of("table", numbered(parts.filter(isFrame))),
    of("chart", numbered(parts.filter(isChart).map(({ source }) => source))),
  ].filter(({ all }) => all > 0);
  const some = kinds.filter(({ sample }) => sample > 0);
  if (some.length === 0) return "";
  const what = kinds.every(({ all, sample }) => all === sample)
    ? "the projects, chains and numbers are invented"
    : `${some.map(({ text }) => text).join("; ")} of this page. Their projects, chains and ` +
      "numbers are invented; the others are not sample data";
  return `<p class="notice">SAMPLE DATA: ${what}.</p>`;
}

async function page(
  { title, parts, interactive = false, locale }: Options,
  source: DataFrame | undefined,
): Promise<string> {
  const cells: Cell[] = [];
  const body: string[] = [];
  const codes: string[] = [];
  const still: string[] = [];
  // One after the other, so that the cells are in the order of the page.
  for (const [at, part] of parts.entries()) {
    const chart = interactive && isChart(part) ? interactiveOf(part) : undefined;
    if (interactive && isChart(part) && chart === undefined) still.push(part.title);
    body.push(
      chart === undefined
        ? await partHtml(part, { at: at + 1, cells, locale })
        : frameHtml((part as Drawing).title, await chart.html(), codes),
    );
  }
  if (still.length > 0) {
    body.push(`<p class="soft">Not interactive: ${still.map(escapeMarkup).join("; ")}.</p>`);
  }
  const scripts = codes.map((code, at) =>
    `<script type="text/plain" id="code-${at}">${code}</script>`
  );
  if (codes.length > 0) scripts.push(`<script>${FRAMES}</script>`);
  const typed = parts.flatMap((part) => isMarkdown(part) ? part.typed : []);
  const charts = await Promise.all(parts.filter(isChart).map(chartTexts));
  const notice = sampleNotice(parts, cells);
  return `<!doctype html>\n<html lang="${locale ?? "en"}"><head><meta charset="utf-8">` +
    `<meta name="viewport" content="width=device-width,initial-scale=1">` +
    `<meta http-equiv="Content-Security-Policy" content="${
      codes.length > 0 ? SCRIPTED : POLICY
    }">` +
    `<title>${escapeMarkup(title)}</title><style>${STYLE}</style></head>` +
    `<body><main><h1>${escapeMarkup(title)}</h1>${notice}${body.join("\n")}` +
    `${numbersHtml(cells, typed)}${chartNumbersHtml(charts)}${sourcesHtml(source)}${
      readingsHtml(parts.map((part) =>
        isFrame(part) ? part : isChart(part) ? part.source : undefined
      ))
    }</main>${scripts.join("\n")}</body></html>\n`;
}

/** Prints which cells and charts are in another language than the page. */
function noteLanguages(parts: readonly Part[], locale: string | undefined): void {
  const others = parts.flatMap((part) => {
    const drawn = isChart(part) ? [{ what: part.title, language: part.locale }] : [];
    const cells = isMarkdown(part)
      ? part.cells.filter(({ value }) => typeof value === "number" || value instanceof Date)
        .map(({ text, field, locale }) => ({ what: `${field} (${text})`, language: locale }))
      : [];
    return [...drawn, ...cells].filter(({ language }) => language !== locale);
  });
  if (others.length === 0) return;
  const names = listed(others.map(({ what }) => what), 3);
  const line = locale === undefined ? "has none" : `is ${locale}`;
  notify(terminalText(
    `report: locale: the page ${line}, which differs from ${names}; pass locale to each of them`,
  ));
}

/** Describes a part in one line: its kind and its size, or its title. */
function partText(part: Part, index: number): string {
  const what = isFrame(part)
    ? `table, ${counted(part.height, "row")} × ${counted(part.width, "column")}`
    : isMarkdown(part)
    ? `text, ${String(part).trim().length} characters`
    : `chart, ${part.title}`;
  return `${index + 1} ${what}`;
}

/**
 * Combines texts, tables and charts into one HTML page. The page loads no other files, and has no scripts unless
 * `interactive` is set.
 *
 * Tables and charts follow the light or dark scheme of the reader's system, and can be printed. The page ends with the
 * origin of each number that `cell` put into a text, and with the sources of its frames: operation, query, retrieval time, last day of the data, digest and missing entities. If a part
 * contains sample data, the top of the page states this.
 *
 * @example
 * ```ts
 * import { blockchainComparison, md, plotComparison, report, save } from "@chainframe/chainframe";
 *
 * const chains = await blockchainComparison({ limit: 5 });
 * const page = report({ title: "Chains", parts: [md`Fees of **five** chains.`, chains, plotComparison(chains)] });
 * await save(page, `${await Deno.makeTempDir()}/chains.html`);
 * ```
 *
 * @throws {RangeError} for an unknown option, an empty title, or a part that is not a text of `md`, a frame or a chart.
 * @category Output
 */
export function report(options: {
  /** The title of the page. */
  readonly title: string;
  /** The parts, in the order of the page: texts made by `md`, frames and charts. */
  readonly parts: readonly (Markdown | DataFrame | {
    readonly title: string;
    readonly source: DataFrame | undefined;
    readonly field?: string;
    readonly spec?: Promise<unknown>;
    readonly locale?: string | undefined;
    svg(options?: { readonly width?: number }): Promise<string>;
    interactive?(): { html(): Promise<string> };
  })[];
  /**
   * Whether charts of lines, bars, cells and dots are interactive. The page then has scripts. It names the charts that
   * have no interactive version.
   * @default {false}
   */
  readonly interactive?: boolean;
  /**
   * The language of numbers and dates in tables, as a locale of `Intl`. Cells and charts have an option of their own; a
   * notice names those of another language.
   * @default {numbers such as 1,234.5 and dates such as 2026-01-31}
   */
  readonly locale?: string;
}): Report {
  const checked = checkOptions(options, RULES, "report") as Options;
  const { title, parts, locale } = checked;
  noteLanguages(parts, locale);
  const source = sourceOf(parts);
  if (source !== undefined) noteOutput(source);
  const made: Report = { title, source, html: () => page(checked, source) };
  const text = () => [`Report: ${title}`, ...parts.map(partText)].map(terminalText).join("\n");
  // The styles of the page must not reach the notebook.
  return displayedAs(made, text, async () => ({
    "text/html": `<iframe srcdoc="${
      escapeMarkup(await made.html())
    }" style="width:100%;height:40rem;border:0"></iframe>`,
  }));
}
