import type { Database } from "../engine/duckdb.ts";
import { METRICS } from "./metric.ts";
import { availabilityColumn, summaryAggregations, summaryColumn } from "./project_summary.ts";

/** How many projects stand in one text. */
const PROJECTS_IN_PART = 16;

/** How many texts are made, or read, at once. */
export const PARTS_AT_ONCE = 4;

/**
 * SQL of a double as JavaScript writes it: the shortest digits that mean it, whole numbers without a
 * point, and an exponent below 1e-6 and from 1e21 on.
 */
export function numberText(value: string): string {
  const text = `CAST(${value} AS VARCHAR)`;
  const mantissa = `split_part(${text}, 'e', 1)`;
  const exponent = `CAST(split_part(${text}, 'e', 2) AS INTEGER)`;
  const digits = `regexp_replace(${mantissa}, '[-.]', '', 'g')`;
  return `CASE WHEN ${value} = 0 THEN '0'
    WHEN NOT contains(${text}, 'e') THEN regexp_replace(${text}, '\\.0$', '')
    ELSE CASE WHEN ${exponent} < -6 OR ${exponent} >= 21
      THEN ${mantissa} || CASE WHEN ${exponent} < 0 THEN 'e-' ELSE 'e+' END || abs(${exponent})
      ELSE CASE WHEN ${value} < 0 THEN '-' ELSE '' END || CASE WHEN ${exponent} < 0
        THEN '0.' || repeat('0', -${exponent} - 1) || ${digits}
        ELSE rpad(${digits}, ${exponent} + 1, '0') END
    END END`;
}

// One row per value, in the order of an answer: what says whose it is stands beside it.
function valuesSql(): string {
  const metrics: string[] = [], names: string[] = [], values: string[] = [], there: string[] = [];
  for (const metric of METRICS) {
    for (const aggregation of summaryAggregations(metric)) {
      metrics.push(`'${metric.metric_id}'`);
      names.push(`'${aggregation.name}'`);
      values.push(summaryColumn(metric, aggregation));
      there.push(availabilityColumn(metric));
    }
  }
  return `SELECT project_no, project_name, project_id,
    unnest(range(${metrics.length})) AS place, unnest([${metrics.join(", ")}]) AS metric_id,
    unnest([${names.join(", ")}]) AS name, unnest([${values.join(", ")}]) AS value,
    unnest([${there.join(", ")}]) AS available
  FROM (
    SELECT row_number() OVER (ORDER BY project_id)::INTEGER - 1 AS project_no, *
    FROM data.project_summary JOIN (SELECT project_id, project_name FROM data.project) AS named
      USING (project_id)
  ) AS numbered
  WHERE project_no >= $first AND project_no < $past`;
}

/**
 * Keeps the text of all aggregations of all projects, as JSON without the brackets around it: what is
 * asked for whole and by many is written once, not with every answer.
 */
export async function keepAggregationText(database: Database): Promise<void> {
  const [row] = await database.rows("SELECT count(*) AS projects FROM data.project_summary");
  const projects = Number(row?.projects);
  await database.run("CREATE TABLE data.aggregation_text (part INTEGER, text BLOB)");
  const step = PARTS_AT_ONCE * PROJECTS_IN_PART;
  for (let first = 0; first < projects; first += step) {
    await database.run(
      `INSERT INTO data.aggregation_text
       SELECT part, encode(string_agg(item, ',' ORDER BY project_no, place)) AS text
       FROM (
         SELECT project_no // ${PROJECTS_IN_PART} AS part, project_no, place,
           '{"project_name":' || to_json(project_name) || ',"project_id":' || to_json(project_id)
             || ',"metric_id":"' || metric_id || '","metric_aggregation_name":"' || name
             || '","value":"' || CASE WHEN NOT available THEN '-' WHEN value IS NULL THEN 'NaN'
               ELSE ${numberText("value")} END || '"}' AS item
         FROM (${valuesSql()}) AS entries
       ) AS items
       GROUP BY part ORDER BY part`,
      { first, past: first + step },
    );
  }
}
