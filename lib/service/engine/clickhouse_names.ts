/**
 * The functions of ClickHouse that the SQL of the datasets calls, as DuckDB macros: the same text
 * runs on both.
 */
export const CLICKHOUSE_NAMES = `
CREATE OR REPLACE MACRO toDate(text) AS CAST(text AS DATE);
CREATE OR REPLACE MACRO toInt64(number) AS CAST(number AS BIGINT);
CREATE OR REPLACE MACRO toString(x) AS CAST(x AS VARCHAR);
CREATE OR REPLACE MACRO intDiv(a, b) AS a // b;
CREATE OR REPLACE MACRO toRelativeMonthNum(day) AS year(day) * 12 + month(day);
CREATE OR REPLACE MACRO groupUniqArray(x) AS list(DISTINCT x);
CREATE OR REPLACE MACRO arraySort(list) AS list_sort(list);
CREATE OR REPLACE MACRO has(list, x) AS list_contains(list, x);
CREATE OR REPLACE MACRO argMin(x, key) AS arg_min(x, key);
`;
