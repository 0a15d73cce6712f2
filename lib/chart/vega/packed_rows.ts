type Row = Readonly<Record<string, unknown>>;

/** A table by columns: the different cells of a column, and the place of the cell of each row among them. */
interface Table {
  readonly columns: Map<string, { readonly cells: Map<string, number>; readonly places: number[] }>;
  readonly rows: Map<string, number>;
}

/** The place of a cell that a row does not have. */
const ABSENT = -1;

const emptyTable = (): Table => ({ columns: new Map(), rows: new Map() });

/** Writes numbers as their differences. A repeated difference has its count: `5 1x99 -3`. */
function differences(numbers: readonly number[]): string {
  const runs: [difference: number, count: number][] = [];
  let before = 0;
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last?.[0] === number - before) last[1] += 1;
    else runs.push([number - before, 1]);
    before = number;
  }
  return runs.map(([difference, count]) => count > 1 ? `${difference}x${count}` : difference)
    .join(" ");
}

/** Returns the place of a row in a table. Equal rows are stored once. */
function placeIn({ columns, rows }: Table, row: Row): number {
  const text = JSON.stringify(row);
  const known = rows.get(text);
  if (known !== undefined) return known;
  const place = rows.size;
  rows.set(text, place);
  for (const [name, cell] of Object.entries(row)) {
    if (cell === undefined) continue;
    if (!columns.has(name)) columns.set(name, { cells: new Map(), places: [] });
    const { cells, places } = columns.get(name)!;
    const own = JSON.stringify(cell);
    if (!cells.has(own)) cells.set(own, cells.size);
    while (places.length < place) places.push(ABSENT);
    places.push(cells.get(own)!);
  }
  return place;
}

function tableJson({ columns, rows }: Table): string {
  const parts = [...columns].map(([name, { cells, places }]) => {
    while (places.length < rows.size) places.push(ABSENT);
    return `[${JSON.stringify(name)},[${[...cells.keys()]}],"${differences(places)}"]`;
  });
  return `[${rows.size},[${parts}]]`;
}

/** Returns the description of a mark for screen readers, from the lines of its tooltip. */
const SAYS = `({ title, ...values }, at) =>
  title + (at === undefined ? "" : ", " + at) + ": " + Object.entries(values)
    .map(([key, text]) => key === (at ?? "value") ? text : key + " " + text).join(", ")`;

const saysOf = new Function(`return ${SAYS}`)() as (tooltip: Row, at: unknown) => string;

/** Splits a row of a mark into the row without its tooltip, and the texts of the tooltip. */
function partsOf(row: Row): [base: Row, tip: Row | undefined] {
  const { tooltip, says, at, ...base } = row;
  const isTip = typeof tooltip === "object" && tooltip !== null &&
    [says, at ?? "", ...Object.values(tooltip)].every((text) => typeof text === "string") &&
    says === saysOf(tooltip as Row, at);
  if (!isTip) return [row, undefined];
  const lines = Object.entries(tooltip as Row);
  return [base, {
    at,
    keys: lines.map(([key]) => key === at ? null : key),
    ...Object.fromEntries(lines.map(([, text], place) => [`text${place}`, text])),
  }];
}

/**
 * Packs specs as texts for a page: rows of data by columns, with equal rows and equal cells once. Specs of several
 * widths have most of their rows in common.
 */
export function packSpecs(
  specs: readonly unknown[],
): { readonly specs: string; readonly tables: string } {
  const [bases, tips] = [emptyTable(), emptyTable()];
  const json = JSON.stringify(specs, (key, value) => {
    const isRows = key === "values" && Array.isArray(value) && value.length > 0 &&
      value.every((row) => row !== null && Object.getPrototypeOf(row) === Object.prototype);
    if (!isRows) return value;
    const parts = (value as Row[]).map(partsOf);
    const packed = [
      parts.map(([base]) => placeIn(bases, base)),
      parts.map(([, tip]) => tip === undefined ? ABSENT : placeIn(tips, tip)),
    ];
    return { packed: packed.map(differences) };
  });
  return { specs: json, tables: `[${tableJson(bases)},${tableJson(tips)}]` };
}

/** The code of a page that unpacks specs: `unpacked(specs, tables)`. */
export const UNPACK = `
const saysOf = ${SAYS};
const numbersIn = (text) => {
  let number = 0;
  return text.split(" ").flatMap((part) => {
    const [difference, count = 1] = part.split("x").map(Number);
    return Array.from({ length: count }, () => number += difference);
  });
};
const rowsIn = ([count, columns]) => {
  const rows = Array.from({ length: count }, () => ({}));
  for (const [name, cells, places] of columns) {
    numbersIn(places).forEach((place, at) => place >= 0 && (rows[at][name] = cells[place]));
  }
  return rows;
};
const unpacked = (specs, tables) => {
  const [bases, tips] = tables.map(rowsIn);
  const whole = tips.map(({ at, keys, ...texts }) => {
    const lines = keys.map((key, place) => [key ?? at, texts["text" + place]]);
    const tooltip = Object.fromEntries(lines);
    return { tooltip, says: saysOf(tooltip, at), ...at !== undefined && { at } };
  });
  const rowsOf = ([base, tip]) => {
    const own = numbersIn(tip);
    return numbersIn(base).map((place, at) => ({ ...bases[place], ...whole[own[at]] }));
  };
  const revive = (_, value) => Array.isArray(value?.packed) ? rowsOf(value.packed) : value;
  return JSON.parse(JSON.stringify(specs), revive);
};
`;

/**
 * The code of a page that adds the tooltips of a spec as a table for screen readers. The value at a position has a column
 * of its own.
 */
export const TABLE = `
const tipsIn = (spec) => {
  if (typeof spec !== "object" || spec === null) return [];
  const { tooltip, says, at } = spec;
  if (says === undefined) return Object.values(spec).flatMap(tipsIn);
  const { title: name, ...values } = tooltip;
  if (at === undefined || !Object.hasOwn(values, at)) return [{ name, ...values }];
  const { [at]: value, ...others } = values;
  return [{ name, at, value, ...others }];
};
const addTable = (document, title, spec) => {
  const rows = tipsIn(spec);
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (names.length === 0) return;
  const made = (parent, tag, text) => {
    const element = parent.appendChild(document.createElement(tag));
    if (text !== undefined) element.textContent = text;
    return element;
  };
  // A table cannot be made smaller than its rows, so an element around the table hides it.
  const holder = made(document.body, "div");
  holder.className = "rows";
  const table = made(holder, "table");
  made(table, "caption", title);
  const head = made(made(table, "thead"), "tr");
  for (const name of names) made(head, "th", name);
  const body = made(table, "tbody");
  for (const row of rows) {
    const line = made(body, "tr");
    for (const name of names) made(line, "td", row[name] ?? "no value");
  }
};
`;
