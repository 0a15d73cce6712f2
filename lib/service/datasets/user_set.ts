/**
 * How many addresses used exactly the same cells (a product on a chain each) on a day. Distinct
 * addresses do not add up over cells, but these counts do: an address is in one set a day. So the
 * exact number for any selection of cells is the sum over the sets that touch it.
 */
export const USER_SET = `
SELECT day, cells, toInt64(count(*)) AS users
FROM (
  SELECT day, user_id, arraySort(groupUniqArray(cell)) AS cells
  FROM (
    SELECT day, user_id, cell FROM facts.activity JOIN work.contract USING (contract_no)
  ) AS used
  GROUP BY day, user_id
) AS sets
GROUP BY day, cells
`;
