import { didYouMean } from "../platform/check_options.ts";
import type { DataFrame } from "../table/polars.ts";
import type { Meaning } from "../schema/meanings.ts";
import { type Entries, loadEntries, type NameEntry } from "./entries.ts";
import { type Page, pageBundle, pageText, type Section } from "./page.ts";

function fieldRow({ field, dtype, unit, about, null: none }: Meaning): string[] {
  return [field, dtype, unit, `${about} null: ${none}.`];
}

/** The fields of a record, those that differ by their window as one. */
function fieldSection(fields: readonly Meaning[]): Section {
  const rows = new Map<string, string[]>();
  for (const meaning of fields) {
    const { window } = meaning;
    const open = (text: string) =>
      window === null || window === "max" ? text : text.replaceAll(window, "W");
    const row = fieldRow(meaning).map(open);
    if (!rows.has(row[0]!)) rows.set(row[0]!, row);
  }
  const heading = rows.size < fields.length
    ? "Columns (W: 1d, 7d, 30d, 90d, 180d, 365d)"
    : "Columns";
  return { heading, table: { head: ["column", "dtype", "unit", ""], rows: [...rows.values()] } };
}

function namePage(entry: NameEntry, { fields }: Entries): Page {
  const { name, signature, about, options, throws, example, record } = entry;
  const sections: Section[] = [];
  if (options.length > 0) {
    const rows = options.map(({ name, required, type, default: value, about }) => {
      const note = required ? "Required. " : "";
      const told = value === null ? "" : ` Default: ${value}.`;
      return [name, type, `${note}${about}${told}`];
    });
    sections.push({
      heading: entry.kind === "function" ? "Options" : "Members",
      table: { head: ["name", "type", ""], rows },
    });
  }
  if (record !== null) {
    sections.push(fieldSection(fields.filter((field) => field.record === record)));
  }
  if (throws.length > 0) {
    sections.push({
      heading: "Throws",
      table: { head: [""], rows: throws.map((each) => [each]) },
    });
  }
  if (example !== null) sections.push({ heading: "Example", code: example });
  return { title: signature === "" ? name : signature, about, sections };
}

function fieldPage(field: string, meanings: readonly Meaning[]): Page {
  const sections = meanings.map(({ record, dtype, unit, window, about, null: none }): Section => ({
    heading: record === "errors" ? "In errorsOf" : `In ${record}`,
    table: {
      head: ["", ""],
      rows: [
        ["what", about],
        ["dtype", dtype],
        ["unit", unit],
        ["window", window ?? "none"],
        ["null", none],
      ],
    },
  }));
  return { title: field, about: "", sections };
}

function firstSentence(text: string): string {
  return /^[^]*?[.:](?=\s|$)/.exec(text)?.[0].replace(/\s+/g, " ").replace(/:$/, ".") ?? text;
}

/** The table of contents: every function under its heading. */
function contents({ names }: Entries): Page {
  const functions = names.filter(({ kind }) => kind === "function");
  const categories = [...new Set(functions.map(({ category }) => category))];
  return {
    title: "chainframe",
    about: 'help(plotRetention), help("cohort_analysis"), help("ecosystem_tvl_30d_change"), ' +
      "help(frame): more about each. await dictionary(): every field and metric, as a frame.",
    sections: categories.map((heading) => ({
      heading,
      table: {
        head: ["function", ""],
        rows: functions.filter(({ category }) => category === heading)
          .map(({ name, about }) => [name, firstSentence(about)]),
      },
    })),
  };
}

function metricPage(name: string, { metrics }: Entries): Page | undefined {
  const metric = metrics.find(({ metric_id }) => metric_id === name);
  if (metric === undefined) return undefined;
  const rows = [["unit", metric.unit], ["kind", metric.kind], ["null", metric.null]];
  const heading = "A metric of the sample service";
  return {
    title: name,
    about: metric.about,
    sections: [{ heading, table: { head: ["", ""], rows } }],
  };
}

function framePage(frame: DataFrame, { fields }: Entries): Page {
  const rows = frame.columns.map((name) => {
    const known = fields.find(({ field }) => field === name);
    return known === undefined
      ? [name, "", "", "computed, or not of the interface"]
      : fieldRow(known);
  });
  const table = { head: ["column", "dtype", "unit", ""], rows };
  return {
    title: "The columns of the frame",
    about: "",
    sections: [{ heading: "Columns", table }],
  };
}

function pageAbout(name: string, entries: Entries): Page {
  const { names, fields, metrics } = entries;
  // An operation is found by the name of its function and by its own.
  const spelled = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const entry = names.find((entry) => entry.name === name) ??
    names.find((entry) => entry.name === spelled && entry.record === name);
  if (entry !== undefined) return namePage(entry, entries);
  const meanings = fields.filter(({ field }) => field === name);
  const metric = metricPage(name, entries);
  if (meanings.length > 0) return fieldPage(name, meanings);
  if (metric !== undefined) return metric;
  const known = [
    ...names.map(({ name }) => name),
    ...fields.map(({ field }) => field),
    ...metrics.map(({ metric_id }) => metric_id),
  ];
  throw new RangeError(`help: nothing is known about ${didYouMean(name, known)}`);
}

/** What there is help about. */
type Subject = string | DataFrame | ((...args: never[]) => unknown);

async function makePage(subject: Subject | undefined): Promise<Page> {
  const entries = await loadEntries();
  if (subject === undefined) return contents(entries);
  if (typeof subject === "string") return pageAbout(subject, entries);
  if (typeof subject === "function") return pageAbout(subject.name, entries);
  return framePage(subject, entries);
}

/** The page about a subject, or the table of contents: as an object that shows itself, and for a notebook. */
export async function shownPage(subject: Subject | undefined) {
  const made = await makePage(subject);
  const [text, bundle] = [() => pageText(made), () => pageBundle(made)];
  const page = Object.freeze({
    toString: text,
    [Symbol.for("Jupyter.display")]: bundle,
    [Symbol.for("Deno.customInspect")]: text,
  });
  return { page, bundle };
}
