/** The pages of subjects that are no names of this package: how to read files, and how to reshape and join frames. */
export const TOPICS: Readonly<Record<string, { readonly about: string; readonly code: string }>> = {
  csv: {
    about:
      "`pl.readCSV` reads a file. `withSource` states its source and its units, which captions " +
      "show. `join` adds its columns to another frame. `openFrame` reads files that `save` wrote.",
    code: `import { blockchainComparison, pl, withSource } from "@chainframe/chainframe";

const own = withSource(pl.readCSV("vc.csv"), {
  citation: "VC database, export of 3 June 2026",
  columns: { vc_usd: { unit: "usd", adds: "groups" } },
});
const chains = await blockchainComparison();
console.log(chains.join(own, { on: "chain_id", how: "left" }));`,
  },
  join: {
    about:
      "A method of frames, from polars: `frame.join(other, { on, how })`. `how` is `left`, `inner`, " +
      "`full`, `semi`, `anti` or `cross`. The default, `inner`, drops rows without a match. If the " +
      'columns have different names, give `leftOn` and `rightOn` instead of `on`. `help("csv")` ' +
      "joins a file.",
    code: `import { blockchainComparison, pl } from "@chainframe/chainframe";

const chains = await blockchainComparison();
const own = pl.DataFrame({ chain: ["alder", "basalt"], vc_usd: [5e6, 2e6] });
console.log(chains.join(own, { leftOn: "chain_id", rightOn: "chain", how: "left" }));`,
  },
  pivot: {
    about:
      "A method of frames, from polars. It makes a column of each value of `on`, a row of each value " +
      "of `index`, and fills them with `values`. `long` does the reverse for the fields of a dataset.",
    code: `import { timeline } from "@chainframe/chainframe";

const fees = await timeline({ metric_ids: ["fees"], group_by: "chains", every: "month", from: "2026-01" });
console.log(fees.pivot({ index: "date", on: "chain_id", values: "fees_sum" }));`,
  },
};
