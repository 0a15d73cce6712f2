import { readingText } from "../table/read/reading_text.ts";
import { didYouMean } from "../platform/check_options.ts";
import { meantWord } from "../platform/option_words.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import { requireColumns } from "../table/read/requirements.ts";
import { columnTitle, fieldNamed } from "../schema/dictionary.ts";
import { AGGREGATIONS } from "../schema/vocabulary.ts";
import { columnIn } from "../table/track/descriptions.ts";
import { MEMBERS, PANDAS, plainly, USES } from "../table/track/member_names.ts";
import { type Entries, loadEntries, type NameEntry } from "./entries.ts";
import { fieldEntries, type FieldEntry } from "./fields.ts";
import { byPattern, firstSentence, nearSections, tableSection } from "./near.ts";
import { type Page, type Section, tableCells } from "./page.ts";
import { type Answer, answerTo } from "./questions.ts";
import { TOPICS } from "./topics.ts";

function fieldRow({ name, dtype, unit, about, null: none }: FieldEntry): string[] {
  return [
    name,
    dtype ?? "",
    unit ?? "",
    none === null || none === "never" ? about : `${about} null: ${none}.`,
  ];
}

/** Returns a section that lists the fields of a record. Fields that differ only in their window share one row. */
function fieldSection(fields: readonly FieldEntry[]): Section[] {
  const groups = [...byPattern(fields)];
  const rows = groups.map(([pattern, [field]]) => {
    const isOpen = pattern !== field!.name;
    return fieldRow(field!).map((text) => isOpen ? text.replaceAll(field!.window!, "W") : text);
  });
  const windows = groups.find(([pattern, [field]]) => pattern !== field!.name)?.[1]
    .map(({ window }) => window);
  const heading = windows === undefined ? "Columns" : `Columns (W: ${windows.join(", ")})`;
  return tableSection(heading, ["column", "dtype", "unit", ""], rows);
}

function namePage(entry: NameEntry, entries: Entries): Page {
  const { name, kind, signature, about, throws, example, record } = entry;
  const options = entry.options.map(({ name, required, type, default: value, about }) => [
    name,
    type,
    `${required ? "Required. " : ""}${about}${value === null ? "" : ` Default: ${value}.`}`,
  ]);
  return {
    title: signature === "" ? name : signature,
    about,
    sections: [
      ...tableSection(kind === "function" ? "Options" : "Members", ["name", "type", ""], options),
      ...fieldSection(fieldEntries(entries).filter((field) => field.record === record)),
      ...tableSection("Throws", [""], throws.map((each) => [each])),
      ...example === null ? [] : [{ heading: "Example", code: example }],
    ],
  };
}

/** Returns the columns of a metric in a breakdown, with their meanings. */
function aggregations(metric: string): string[][] {
  return AGGREGATIONS.map((each) => `${metric}_${each}`)
    .map((name) => [name, fieldNamed(name)?.meaning ?? ""]);
}

/** Returns the page of a column: its description, and the frames that have it. */
function columnPage(name: string, entries: Entries): Page | undefined {
  const all = fieldEntries(entries).filter((entry) => entry.name === name);
  const column = fieldNamed(name);
  const known = new Set(entries.names.map(({ name }) => name));
  const [returned, sent] = [true, false].map((is) => all.filter((e) => known.has(e.record) === is));
  if (column === undefined && all.length === 0) return undefined;
  const isMetric = all.some(({ record }) => record === "metric");
  const { unit = null, window = null, missing = null, role = null } = column ?? {};
  const rows = Object.entries({ kind: role, dtype: all[0]?.dtype, unit, window, null: missing })
    .flatMap(([key, value]) => value ? [[key, value]] : []);
  return {
    title: name,
    about: column === undefined ? columnTitle(name) : `${column.title}. ${column.meaning}`,
    sections: [
      ...tableSection("Column", ["", ""], rows),
      ...tableSection(
        "Sent by",
        ["", ""],
        sent!.filter(({ record }) => record !== "metric").map(({ record, about }) => [
          record === "errors" ? "errorsOf" : record,
          about === column?.meaning ? "" : about,
        ]),
      ),
      ...tableSection(
        "Returned by",
        ["", "", ""],
        returned!.map(({ record, dtype, about }) => [record, dtype ?? "", about]),
      ),
      ...isMetric
        ? tableSection("Returned by metricBreakdown and timeline", ["", ""], aggregations(name))
        : [],
      ...nearSections(name, entries, name),
    ],
  };
}

/** Returns the page of an option: its type and description in each function with this option. */
function optionPage(name: string, { names }: Entries): Page | undefined {
  const taken = names.filter(({ kind }) => kind === "function").flatMap((entry) =>
    entry.options.filter((option) => option.name === name)
      .map(({ type, about }) => ({ fn: entry.name, type, about }))
  );
  if (taken.length === 0) return undefined;
  const alike = Map.groupBy(taken, ({ type, about }) => `${type} ${about}`);
  const rows = [...alike.values()].map((same) => {
    const { fn, type, about } = same[0]!;
    const others = same.slice(1).map(({ fn }) => fn).join(", ");
    return [fn, type, others === "" ? about : `${about} The same in ${others}.`];
  });
  const sections = tableSection("Taken by", ["function", "type", ""], rows);
  return { title: name, about: "An option.", sections };
}

/** Returns the page of a column whose name is made from another: `fees_sum_growth` is a `<column>_growth`. */
function computedPage(name: string, { names }: Entries): Page | undefined {
  const isMade = ([, pattern]: RegExpMatchArray) =>
    new RegExp(`^${pattern!.replaceAll(/<\w+>/g, ".+")}$`).test(name);
  const rows = names.flatMap(({ name: fn, about }) =>
    about.split(/\n{2,}|\n(?=\|)/)
      .filter((part) => [...part.matchAll(/`(<\w+>_[a-z][^`]*)`/g)].some(isMade))
      .map((part) => [fn, part.startsWith("|") ? tableCells(part)[0]!.at(-1)! : part])
  );
  if (rows.length === 0) return undefined;
  const sections = tableSection("Returned by", ["function", ""], rows);
  return { title: name, about: "A computed column.", sections };
}

/** Returns the page of a method of frames, or of a word of pandas. */
function memberPage(word: string, entries: Entries): Page | undefined {
  const member = MEMBERS.get(plainly(word));
  if (member === undefined) return undefined;
  if (Object.hasOwn(TOPICS, member)) return pageAbout(member, entries);
  const [called] = member.split("(");
  const own = entries.names.filter(({ name }) => name === called);
  const use = USES[member] === undefined ? "" : ` It takes ${USES[member]}.`;
  const isCall = own.length > 0 || member.startsWith("pl.");
  return {
    title: word,
    about: isCall
      ? `Here: \`${member}\`.`
      : `A method of frames, from polars: \`frame.${member}\`.${use}`,
    sections: tableSection(
      "See also",
      ["name", ""],
      own.map(({ name, about }) => [name, firstSentence(about)]),
    ),
  };
}

/** Returns the page of a question: its answer, and the functions and options that it names. */
function answerPage(title: string, { about, see = [], code }: Answer, entries: Entries): Page {
  const rows = see.map((name) => {
    const entry = entries.names.find((each) => each.name === name);
    return [name, firstSentence(entry?.about ?? optionPage(name, entries)!.about)];
  });
  const example = code === undefined ? [] : [{ heading: "Example", code }];
  return { title, about, sections: [...tableSection("See also", ["name", ""], rows), ...example] };
}

/** Returns the table of contents: every function, by section. */
function contents({ names }: Entries): Page {
  const functions = names.filter(({ kind }) => kind === "function");
  const categories = [...new Set(functions.map(({ category }) => category))];
  return {
    title: "chainframe",
    about: 'help(plotRetention), help("cohort_analysis"), help("ecosystem_tvl_30d_change"), ' +
      'help(frame): more about each. help("csv"), help("join"), help("pivot"): own files, and ' +
      "methods of frames. await dictionary(): every field and metric, as a frame.",
    sections: categories.flatMap((heading) => {
      const ofCategory = functions.filter(({ category }) => category === heading);
      const rows = ofCategory.map(({ name, about }) => [name, firstSentence(about)]);
      return tableSection(heading, ["function", ""], rows);
    }),
  };
}

function framePage(frame: DataFrame, entries: Entries): Page {
  const documented = fieldEntries(entries);
  const rows = frame.columns.map((name) => {
    const column = columnIn(frame, name);
    if (column === undefined) return [name, "", "not a column of chainframe"];
    const { unit, meaning, missing, from } = column;
    const entry = documented.find((each) => each.record === from && each.name === name);
    const about = entry?.about ?? (meaning || column.title);
    return [name, unit ?? "", missing === "never" ? about : `${about} null: ${missing}.`];
  });
  const sections = tableSection("Columns", ["column", "unit", ""], rows);
  return { title: "The columns of the frame", about: readingText(frame), sections };
}

/** The codes of `errorsOf`. */
const CODES: Readonly<Record<string, string>> = {
  NOT_FOUND: "The service does not know this entity. See catalog() for the ids.",
  NOT_IN_ANSWER:
    "No row of the dataset has this id, and the query has no limit. Datasets omit unknown ids " +
    "without an error, so chainframe compares the ids that you request with the rows. The id is unknown, or " +
    "has no data. See catalog() for the ids.",
};

function pageAbout(name: string, entries: Entries): Page {
  const { names } = entries;
  if (Object.hasOwn(CODES, name)) {
    const about = `A code of errorsOf(frame). ${CODES[name]}`;
    return { title: name, about, sections: [] };
  }
  if (Object.hasOwn(TOPICS, name)) {
    const { about, code } = TOPICS[name]!;
    const sections = [{ heading: "Example", code }, ...nearSections(name, entries)];
    return { title: name, about, sections };
  }
  // An operation can also be found by its snake_case name.
  const spelled = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const entry = names.find((entry) => entry.name === name) ??
    names.find((entry) => entry.name === spelled && entry.record === name);
  if (entry !== undefined) return namePage(entry, entries);
  const answer = answerTo(name);
  if (answer !== undefined) return answerPage(name, answer, entries);
  const page = (PANDAS.has(plainly(name)) ? memberPage(name, entries) : undefined) ??
    columnPage(name, entries) ?? optionPage(name, entries) ?? computedPage(name, entries) ??
    memberPage(name, entries);
  if (page !== undefined) return page;
  const sections = nearSections(name, entries);
  if (sections.length > 0) {
    return { title: name, about: "There is no such name. These contain the word.", sections };
  }
  const options = names.flatMap(({ options }) => options);
  const all = [...names, ...fieldEntries(entries), ...options].map(({ name }) => name);
  const known = [...new Set([...all, ...Object.keys(TOPICS)])];
  const meant = meantWord(name, known);
  if (meant !== undefined) return pageAbout(meant, entries);
  throw new RangeError(`help: ${didYouMean(name, known)}`);
}

/** Returns the page of a subject, or the table of contents if there is no subject. */
export async function pageOf(
  subject?: string | DataFrame | ((...args: never[]) => unknown),
): Promise<Page> {
  const entries = await loadEntries();
  if (subject === undefined) return contents(entries);
  if (typeof subject === "string") return pageAbout(subject, entries);
  if (typeof subject === "function") return pageAbout(subject.name, entries);
  requireColumns(subject, { fn: "help", source: "a name, a function or a frame" });
  return framePage(subject, entries);
}
