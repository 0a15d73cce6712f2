import type { Database } from "../engine/duckdb.ts";
import { FACT_TABLES } from "../facts/fact_tables.ts";
import { SAMPLE_ACTIVITY } from "./sample_activity.ts";
import { SAMPLE_DAILY_VALUES, SAMPLE_EVENTS } from "./sample_daily_values.ts";
import { SAMPLE_DIMENSIONS, SAMPLE_MACROS } from "./sample_dimensions.ts";
import { loadSampleEntities } from "./sample_entities.ts";

/**
 * Fills the schema `facts` with the sample: invented names, figures by chance from a fixed seed,
 * the same to the byte each time. `scale` multiplies the users.
 */
export async function loadSampleFacts(database: Database, scale = 1): Promise<void> {
  await database.run(FACT_TABLES);
  await loadSampleEntities(database);
  await database.run(SAMPLE_MACROS + SAMPLE_DIMENSIONS);
  await database.run(SAMPLE_ACTIVITY, { scale });
  await database.run(SAMPLE_DAILY_VALUES + SAMPLE_EVENTS);
}
