// How much does a chain earn per user, and do a few chains earn most of it?
import {
  blockchainComparison,
  concentration,
  plotComparison,
  rankBy,
  ratio,
  save,
} from "@chainframe/chainframe";

const chains = await blockchainComparison();
const [fees, users] = ["ecosystem_fees_30d_sum", "active_users_daily_latest"];
const per_user = rankBy(
  ratio(chains, { numerator: fees, denominator: users, name: "fees_per_user" }),
  { field: "fees_per_user" },
);
console.log(per_user.select("rank", "chain_name", "fees_per_user", "share"));
console.log(concentration(chains, { field: fees }));

const title = "Fees over 30 days for each daily user";
await save(plotComparison(per_user, { field: ["fees_per_user"], title }), "per_user.svg");
