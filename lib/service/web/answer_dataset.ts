import type { Dataset } from "../query/dataset.ts";
import { type DatasetQuery, readDataset } from "../query/read_dataset.ts";
import type { Ctx } from "./env.ts";
import { sendNew } from "./send.ts";

/** Answers a dataset operation. */
export async function answerDataset(
  c: Ctx,
  dataset: Dataset,
  query: DatasetQuery,
): Promise<Response> {
  const data = await readDataset(c.env.snapshot.database, dataset, query);
  return sendNew(c, { data }, data.length);
}
