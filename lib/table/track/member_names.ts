/**
 * Members of frames that functions use. A column with such a name hides the member: `frame.height` is then the column.
 * Functions would fail or read wrong values.
 */
export const USED_MEMBERS: ReadonlySet<string> = new Set([
  ...["_df", "clone", "columns", "drop", "dtypes", "filter", "getColumn", "getColumns", "groupBy"],
  ...["head", "height", "inner", "join", "lazy", "nullCount", "rename", "select", "slice", "sort"],
  ...["toRecords", "unique", "unpivot", "vstack", "width", "withColumn", "withColumns"],
  ...["withRowIndex", "writeCSV", "writeIPC", "writeJSON", "writeParquet"],
]);

/** The members of a frame that editors and notebooks offer for completion. */
export const COMPLETED = `height width shape columns dtypes schema
  add clear clone count describe div divideBy drop dropNulls explode fillNull filter
  findIdxByName fold frameEqual gatherEvery getColumn getColumnIndex getColumns groupBy
  groupByDynamic groupByRolling hashRows head hstack inner interpolate isDuplicated
  isEmpty isUnique item join joinAsof lazy limit map max mean median min minus modulo mul
  multiplyBy nChunks nUnique nullCount partitionBy pivot plus product quantile rechunk rem rename
  reverse row rows sample select serialize shift shiftAndFill shrinkToFit slice sort
  std sub sum tail toDataResource toDummies toHTML toObject toRecords toSeries toStruct
  transpose unique unnest unpivot upsample var vstack where withColumn withColumnRenamed
  withColumns withRowIndex writeAvro writeCSV writeIPC writeIPCStream writeJSON writeParquet`.split(
  /\s+/,
);

const CONDITION = 'a condition, such as pl.col("chain_id").eq(pl.lit("alder")); ' +
  'where(frame, { chain_id: "alder" }) takes values';
/** How to call methods of polars. Its errors do not name the argument. */
export const USES: Readonly<Record<string, string>> = {
  filter: CONDITION,
  where: CONDITION,
  groupBy: 'groupBy("chain_id").agg(pl.col("fees_sum").sum())',
  rename: 'rename({ fees_sum: "fees" })',
  sort: 'sort({ by: "fees_sum", descending: true })',
  unpivot: 'unpivot(["date"], ["fees_sum", "fees_avg"])',
  withColumns: 'withColumns(pl.col("fees_sum").div(pl.lit(30)).alias("fees_daily"))',
  join: 'join(other, { on: "chain_id" }), or leftOn and rightOn instead of on',
  pivot: 'pivot({ index: "date", on: "chain_id", values: "fees_sum" })',
};

/** Returns a name without capitals and underscores. */
export function plainly(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

/** What words of pandas are here: members of frames, and calls. The words are without capitals and underscores. */
export const PANDAS: ReadonlyMap<string, string> = new Map(Object.entries({
  assign: "withColumns",
  astype: "withColumns(pl.col(name).cast(pl.Float64))",
  cumsum: "withColumns(pl.col(name).cumSum())",
  dropduplicates: "unique",
  dropna: "dropNulls",
  fillna: "fillNull",
  iloc: "slice",
  isin: "where(frame, { name: [value, value] })",
  iterrows: "rowsOf(frame)",
  loc: "where(frame, { name: value })",
  melt: "unpivot",
  merge: "join",
  nlargest: "topN(frame, { field, limit })",
  nunique: "nUnique",
  pctchange: "growthRates(frame, { field })",
  pivottable: "pivot",
  readcsv: "pl.readCSV(path)",
  readparquet: "pl.readParquet(path)",
  rolling: "rollingMean(frame, { periods })",
  sortvalues: "sort",
  tocsv: "save(frame, path)",
  todict: "rowsOf(frame)",
  toparquet: "save(frame, path)",
  topandas: "rowsOf(frame)",
  valuecounts: "groupBy(name).agg(pl.count())",
}));

/** Members of frames and lazy frames, and the words of pandas. */
export const MEMBERS: ReadonlyMap<string, string> = new Map([
  ...[...COMPLETED, "collectSync"].map((name) => [plainly(name), name] as const),
  ...PANDAS,
]);

/**
 * Throws for the name of a member in another library, such as `with_columns`, and names the member of this library.
 * Returns for all other names, because programs read members such as `then` to find out what an object is.
 */
export function refuseForeign(
  name: PropertyKey,
  of: string,
  members: ReadonlyMap<string, string>,
): void {
  if (typeof name !== "string") return;
  const meant = members.get(plainly(name));
  if (meant !== undefined && meant !== name) {
    throw new RangeError(`${of}.${name}: did you mean ${meant}?`);
  }
}
