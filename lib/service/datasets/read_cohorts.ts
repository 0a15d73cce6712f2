import { COHORT_MONTHS } from "../../schema/vocabulary.ts";
import type { Database } from "../engine/duckdb.ts";
import { cohortCountsPart, cohortCountsSum, userMonthsPart } from "./activity_parts.ts";

/** Some rows of users, by a condition on `user_no`, as a table whose `user_address` is a number. */
type UserRows = (where: string) => string;

const ACTIVITY: UserRows = (where) =>
  `(SELECT day, project_id, user_no AS user_address FROM facts.numbered_activity
    WHERE ${where}) AS activity`;

const monthsIn = (table: string): UserRows => (where) =>
  `(SELECT day, project_id, user_no AS user_address FROM ${table} WHERE ${where}) AS months`;

// Lists of months cannot spill: there are as many users at once as have `most` rows.
async function countParts(
  database: Database,
  table: string,
  { rows, most }: { readonly rows: UserRows; readonly most: number },
): Promise<void> {
  const [{ count } = {}] = await database.rows(`SELECT count(*) AS count FROM ${rows("true")}`);
  const parts = Math.max(1, Math.ceil(Number(count) / most));
  for (let part = 0; part < parts; part++) {
    const counts = cohortCountsPart(rows(parts === 1 ? "true" : `user_no % ${parts} = ${part}`));
    await database.run(
      `${part === 0 ? `CREATE TABLE ${table} AS` : `INSERT INTO ${table}`} ${counts}`,
    );
  }
}

const PUT_TOGETHER = `
CREATE TABLE work.cohort_count AS
  SELECT * FROM (${cohortCountsSum("work.cohort_part")}) AS sums WHERE users > 0;
DROP TABLE work.cohort_part;
`;

const NEW_MONTHS = userMonthsPart(ACTIVITY("true"));

const ALL_MONTHS = `
CREATE TABLE work.user_number AS FROM facts.users;
CREATE TABLE work.user_month AS
  SELECT project_id, user_address AS user_no, first_seen AS day FROM (${NEW_MONTHS}) AS months;
`;

// Users go by the numbers they had. One who was seen in the month before `since` is seen in it.
function monthsSince(since: string): string {
  const month = `date_trunc('month', DATE '${since}')`;
  return `
CREATE VIEW work.kept_month AS
  SELECT CAST(project_id AS facts.project_key) AS project_id, user_no, day FROM kept.user_month;
CREATE TABLE work.new_user AS
  SELECT user_address,
    coalesce((SELECT max(user_no) FROM kept.user_number), 0) + row_number() OVER () AS user_no
  FROM facts.users ANTI JOIN kept.user_number USING (user_address);
CREATE VIEW work.user_number AS
  SELECT user_address, user_no FROM kept.user_number
  UNION ALL SELECT user_address, user_no FROM work.new_user;
CREATE TABLE work.new_month AS
  SELECT project_id, user_no, day
  FROM (
    SELECT project_id, known.user_no, first_seen AS day, date_trunc('month', first_seen) AS month
    FROM (${NEW_MONTHS}) AS months
      JOIN facts.users AS users ON users.user_no = months.user_address
      JOIN work.user_number AS known ON known.user_address = users.user_address
  ) AS again
  ANTI JOIN (
    SELECT project_id, user_no, ${month} AS month FROM work.kept_month
    WHERE day >= ${month} AND day < DATE '${since}'
  ) AS seen USING (project_id, user_no, month);
CREATE VIEW work.user_month AS
  SELECT project_id, user_no, day FROM work.kept_month WHERE day < DATE '${since}'
  UNION ALL SELECT project_id, user_no, day FROM work.new_month;
CREATE TABLE work.changed_user AS
  SELECT project_id, user_no FROM work.kept_month WHERE day >= DATE '${since}'
  UNION SELECT project_id, user_no FROM work.new_month;
CREATE VIEW work.month_before AS
  SELECT * FROM work.kept_month SEMI JOIN work.changed_user USING (project_id, user_no);
CREATE VIEW work.month_after AS
  SELECT * FROM work.user_month SEMI JOIN work.changed_user USING (project_id, user_no);
`;
}

// Of the counts that were kept, those of the users whose months may be others now are taken off.
const TAKE_OFF = `
INSERT INTO work.cohort_part BY NAME
  SELECT CAST(project_id AS facts.project_key) AS project_id, * EXCLUDE (project_id)
  FROM kept.cohort_count;
INSERT INTO work.cohort_part BY NAME
  SELECT project_id, first_month, ${
  ["users", ...COHORT_MONTHS.map((k) => `seen_${k}`)].map((name) => `-${name} AS ${name}`)
    .join(", ")
}
  FROM work.cohort_before;
`;

/**
 * Counts the cohorts of the activity in `facts.numbered_activity`, as `work.cohort_count`.
 *
 * @param most how many rows are grouped at once
 */
export async function readCohorts(database: Database, most: number): Promise<void> {
  await countParts(database, "work.cohort_part", { rows: ACTIVITY, most });
  await database.run(PUT_TOGETHER);
}

/**
 * Counts the cohorts, of the activity from `since` on and of the months of users that were kept of the
 * days before. What is kept for the next build is `work.user_month`, by the numbers of
 * `work.user_number`.
 *
 * @param since null when all of the activity is there
 * @param most how many rows are grouped at once
 */
export async function readMonths(
  database: Database,
  since: string | null,
  most: number,
): Promise<void> {
  if (since === null) {
    await database.run(ALL_MONTHS);
    await countParts(database, "work.cohort_part", { rows: monthsIn("work.user_month"), most });
  } else {
    await database.run(monthsSince(since));
    await countParts(database, "work.cohort_part", { rows: monthsIn("work.month_after"), most });
    await countParts(database, "work.cohort_before", { rows: monthsIn("work.month_before"), most });
    await database.run(TAKE_OFF);
  }
  await database.run(PUT_TOGETHER);
}
