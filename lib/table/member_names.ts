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
