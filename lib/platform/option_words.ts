/**
 * The words for options of public functions, each with its meaning. A test compares this list with the options of all
 * public functions. The fields of queries, which have the names of the API, are not in this list.
 */
export const OPTION_WORDS: Readonly<Record<string, string>> = {
  // Columns of a frame.
  field: "the column to compute on, to draw or to sort by",
  by: "the columns whose values make groups",
  entity: "the column of the entities",
  date: "the column of dates",
  numerator: "the column to divide",
  denominator: "the column to divide by",
  product: "the column that is the product of the factors",
  factors: "the columns of the factors",
  x: "the column of the horizontal axis",
  y: "the column of the vertical axis",
  label: "the column of names",
  lower: "the column of lower bounds",
  upper: "the column of upper bounds",
  keys: "the columns that identify a row",
  prices: "the frame of prices",
  price: "the column of prices",
  on: "the columns by which rows of two frames match",
  name: "the name of the new column",
  // Which rows, and in which form.
  as: "the form of the result",
  descending: "whether the largest value comes first",
  limit: "the number of rows or entities, without the sum of the others",
  columns: "the columns: their number, names or descriptions",
  groups: "the values of `by` to compare",
  spans: "the months of groups of time",
  spansOn: "which month belongs to a span",
  periods: "the distance in time",
  per: "the time to which sums refer",
  gaps: "what becomes of missing values between values",
  every: "the length of a period",
  from: "the first date",
  to: "the last date",
  since: "the start of tracking",
  base: "the day or the time of the base period",
  vintage: "the version of a response",
  scale: "the scale of the axis or of the values",
  axes: "whether panels share an axis",
  bands: "whether bounds are drawn as bands",
  dots: "the frame of single values to draw as dots",
  startMonth: "the first month to draw",
  trend: "whether to draw the least-squares line",
  reference: "the value of a reference line",
  // Estimates.
  unit: "the kind of number",
  month: "the month after first use",
  confidence: "the confidence of the bounds",
  cluster: "the kind of independent clusters",
  washout: "the number of tracked months that a cohort needs",
  estimate: "the kind of mean",
  paired: "whether projects in both groups are compared with themselves",
  logRank: "whether to compare whole curves",
  power: "the probability of finding a difference",
  difference: "the difference to find",
  horizon: "the last month to predict",
  fitThrough: "the last month that the model is fitted to",
  model: "the model of retention",
  method: "the method of estimation",
  treated: "the entity that is affected by the event",
  event: "the first day of the event",
  events: "dates with labels, drawn as vertical lines",
  starts: "the first day of each treated entity",
  controls: "the entities with which treated entities are compared",
  zeros: "whether values of 0 are refused or missing",
  detail: "the additional rows",
  revenue: "the revenue per active user and month",
  cost: "the cost of acquiring a user",
  discount: "the yearly discount rate",
  // Texts and looks of charts.
  title: "the title",
  subtitle: "the line below the title",
  caption: "the notes below",
  note: "an additional note",
  width: "the width in pixels",
  height: "the height in pixels",
  format: "the format of values or of a file",
  highlight: "the groups that keep their colors",
  colors: "colors by id or name",
  theme: "the color theme",
  source: "the frame that records the source of the data",
  locale: "the language of numbers and dates",
  letters: "whether each chart has a letter",
  // Files and operations.
  operation: "the function of an operation",
  query: "the query of the operation",
  force: "whether to replace an existing file",
  excelSafe: "whether texts that a spreadsheet would run are escaped",
  text: "the way to store text in a file",
  dpi: "the resolution of an image",
  parts: "the parts of a report",
};

/** Options, and the words of other libraries and of older releases that mean them. The first option that fits is meant. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  field: "y measure column columns value values metric order_by orderBy",
  entity: "unit units id",
  by: "group groupBy group_by color label id",
  limit: "n k top head rows count",
  from: "start since",
  to: "end until",
  descending: "order_by orderBy sort order ascending",
  periods: "lag window",
  name: "as",
  as: "kind type form",
  above: "gt",
  atLeast: "gte min",
  below: "lt",
  atMost: "lte max",
  not: "ne",
  confidence: "ci level alpha",
};

/**
 * Returns the option that a word of another library or of an older release means, or undefined. `names` are the options
 * of the function.
 */
export function meantOption(word: string, names: readonly string[]): string | undefined {
  const fits = ([name, words]: [string, string]) =>
    names.includes(name) && words.split(" ").includes(word);
  return Object.entries(OTHER_WORDS).find(fits)?.[0];
}
