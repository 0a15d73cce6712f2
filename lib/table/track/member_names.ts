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
  add clear clone count describe div divideBy drop dropNulls explode extend fillNull filter
  findIdxByName fold frameEqual gatherEvery getColumn getColumnIndex getColumns groupBy
  groupByDynamic groupByRolling hashRows head hstack inner insertAtIdx interpolate isDuplicated
  isEmpty isUnique item join joinAsof lazy limit map max mean median min minus modulo mul
  multiplyBy nChunks nUnique nullCount partitionBy pivot plus product quantile rechunk rem rename
  replaceAtIdx reverse row rows sample select serialize shift shiftAndFill shrinkToFit slice sort
  std sub sum tail toDataResource toDummies toHTML toObject toRecords toSeries toStruct
  transpose unique unnest unpivot upsample var vstack where withColumn withColumnRenamed
  withColumns withRowIndex writeAvro writeCSV writeIPC writeIPCStream writeJSON writeParquet`.split(
  /\s+/,
);

/** Returns a name without capitals and underscores. */
export function plainly(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

/** Members of frames and lazy frames, and what methods of pandas are here: the words without capitals and underscores. */
export const MEMBERS = new Map([
  ...[...COMPLETED, "collectSync"].map((name) => [plainly(name), name] as const),
  ...Object.entries({
    assign: "withColumns",
    dropduplicates: "unique",
    dropna: "dropNulls",
    fillna: "fillNull",
    iterrows: "rowsOf(frame)",
    melt: "unpivot",
    merge: "join",
    sortvalues: "sort",
    todict: "rowsOf(frame)",
    todicts: "rowsOf(frame)",
    topandas: "rowsOf(frame)",
  }),
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
