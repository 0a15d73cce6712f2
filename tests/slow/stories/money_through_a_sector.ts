// Which amounts flowed into and out of the contracts of one sector, and through which projects?
import {
  catalog,
  contractFlows,
  plotContractFlows,
  projectContracts,
  save,
} from "@chainframe/chainframe";

const { market_sectors } = await catalog();
const [sector] = market_sectors.sort("projects", true).getColumn("market_sector_id").toArray();
const contracts = await projectContracts({ market_sector_ids: [String(sector)] });
const flows = contractFlows(contracts, { by: "project_id" }).sort("inflows", true);
console.log(flows);

await save(plotContractFlows(flows, { title: `Money through ${sector}` }), "flows.svg");
await save(contracts, "contracts.parquet");
