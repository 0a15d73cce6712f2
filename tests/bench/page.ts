/** A line of measured.csv, by the names of its columns. */
type Line = Readonly<Record<string, string>>;

/** Reads the lines of measured.csv. Its cells have no line breaks. */
function linesIn(csv: string): Line[] {
  const [head, ...lines] = csv.trim().split("\n").map((line) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)]
      .map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!)
  );
  return lines.map((cells) => Object.fromEntries(head!.map((name, at) => [name, cells[at]!])));
}

/** Returns the cells of a case on the page: a case with a bound has no ratio. */
function cellsOf({ case: what, baseline, unit, value, ratio, target, met }: Line): string[] {
  const digits = unit === "s CPU" ? 2 : Number(value) < 100 ? 1 : 0;
  return [
    what!,
    `${Number(value).toFixed(digits)} ${unit}`,
    baseline === "a bound" ? "" : `${Number(ratio).toFixed(2)} of ${baseline}`,
    target!,
    met === "no" ? "NO" : met!,
  ];
}

/** Returns docs/performance.md with the tables that a text of measured.csv gives. */
export function withTables(page: string, csv: string): string {
  const lines = linesIn(csv);
  const judged = lines.filter(({ met }) => met === "yes" || met === "no");
  const missed = judged.filter(({ met }) => met === "no");
  const isWait = ({ section }: Line) => section === "What users wait for";
  const tableOf = (rows: readonly Line[], columns: number) =>
    [["case", "value", "ratio", "target", "met"], Array(5).fill("---"), ...rows.map(cellsOf)]
      .map((cells) => `| ${cells.slice(0, columns).join(" | ")} |`).join("\n");
  const blocks = {
    Targets: `${judged.length - missed.length} of ${judged.length} targets were met.`,
    Waits: tableOf(lines.filter((line) => isWait(line) && line.unit !== "MB"), 5),
    Missed: missed.every(isWait) ? "None." : tableOf(missed.filter((line) => !isWait(line)), 4),
  };
  return Object.entries(blocks).reduce((text, [name, inner]) => marked(text, name, inner), page);
}

/** Replaces the text between two marks of docs/performance.md. */
export function marked(text: string, name: string, inner: string): string {
  const [begin, end] = [`<!-- measured: ${name} -->`, "<!-- end -->"];
  const from = text.indexOf(begin);
  if (from < 0) throw new Error(`docs/performance.md has no ${begin}`);
  const rest = text.slice(text.indexOf(end, from));
  return `${text.slice(0, from + begin.length)}\n\n${inner}\n\n${rest}`;
}
