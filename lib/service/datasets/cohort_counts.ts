import { COHORT_MONTHS } from "../../schema/vocabulary.ts";

/**
 * How many users of a project were first seen in a month (`first_month`, counted from year 0), and
 * how many of them were seen again k months later (`seen_k`), from the rows of activity that one
 * machine holds, as SQL that ClickHouse runs as well.
 *
 * @param activity the table of activity: `day`, `user_address`, `project_id`
 */
export function cohortCountsPart(activity: string): string {
  const seen = COHORT_MONTHS.map((k) =>
    `toInt64(sum(CASE WHEN has(months, first_month + ${k}) THEN 1 ELSE 0 END)) AS seen_${k}`
  );
  return `SELECT project_id, first_month, toInt64(count(*)) AS users,
  ${seen.join(",\n  ")}
FROM (
  SELECT project_id, months, months[1] AS first_month
  FROM (
    SELECT project_id, user_address,
      arraySort(groupUniqArray(toInt64(toRelativeMonthNum(day)))) AS months
    FROM ${activity}
    GROUP BY project_id, user_address
  ) AS users_seen
) AS users_first_seen
GROUP BY project_id, first_month`;
}

/**
 * The first day of each month on which each user used each project: all that cohort counts need of
 * the activity, so `cohortCountsPart` of these rows is that of the activity. It is what a machine
 * keeps for a build of new days: a user is seen in a month whatever happens from a day on, if the first
 * day is before it.
 *
 * @param activity the table of activity: `day`, `user_address`, `project_id`
 */
export function userMonthsPart(activity: string): string {
  return `SELECT project_id, user_address, min(day) AS first_seen
FROM ${activity}
GROUP BY project_id, user_address, toRelativeMonthNum(day)`;
}

/**
 * The parts of all machines put together, as SQL of DuckDB with the columns of a part. No user has
 * rows on two machines, so users add up.
 *
 * @param parts the table of the parts' rows
 */
export function cohortCountsSum(parts: string): string {
  const counts = ["users", ...COHORT_MONTHS.map((k) => `seen_${k}`)];
  return `SELECT project_id, first_month,
  ${counts.map((name) => `toInt64(sum(${name})) AS ${name}`).join(",\n  ")}
FROM ${parts}
GROUP BY project_id, first_month`;
}
