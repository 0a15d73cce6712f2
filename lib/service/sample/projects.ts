/** Parameters of the retention curve of a project. */
type Loyalty = "devoted" | "steady" | "fading" | "fleeting" | "gone";

/** Behavior of a project of the sample data. */
interface SampleBehavior {
  /** Approximate number of new users per month, in the middle of the data. */
  readonly users: number;
  readonly loyalty: Loyalty;
  /** Growth of new users per month. */
  readonly growth: number;
  /** First month, counted from the first of the data; negative before it. */
  readonly born: number;
  /** Last month with new users; null if it still has them. */
  readonly died: number | null;
  /** Level around which its market capitalization varies, in US dollars; null without a token. */
  readonly market_cap: number | null;
  readonly developers: number;
}

/** An invented project of the sample data. */
export interface SampleProject extends SampleBehavior {
  readonly project_id: string;
  readonly project_name: string;
  readonly symbol: string | null;
  readonly market_sector_id: string;
  /** Chains of the project, main chain first. */
  readonly chains: readonly string[];
  /** Names of its products. */
  readonly products: readonly string[];
}

// id | name | symbol | market sector | users | loyalty | growth | born | died | market cap |
// developers | chains | products
const TABLE = `
tidewater | Tidewater | TIDE | exchanges-dex | 85 | steady | 0.035 | -9 |  | 5.3e6 | 41 | alder basalt cinder drift | Tidewater Swap; Tidewater Pools; Tidewater Limit
marrow-exchange | Marrow Exchange | MRW | exchanges-dex | 52 | fading | 0.02 | -6 |  | 6e4 | 22 | basalt ember | Marrow Spot; Marrow Aggregator
quillswap | Quillswap | QUIL | exchanges-dex | 32 | fading | -0.03 | -4 |  | 1e6 | 13 | alder garnet | Quillswap Classic; Quillswap Concentrated
ubergang | Übergang | ÜBG | exchanges-dex | 18 | steady | 0.06 | 3 |  | 1.7e4 | 9 | cinder fjord | Übergang Tausch
pebblepool | Pebble Pool 🪨 |  | exchanges-dex | 11 | fleeting | 0 | 1 |  |  | 4 | harbor isobar kelp | Pebble Pool
sparrow-dex | Sparrow | SPRW | exchanges-dex | 24 | gone | -0.02 | 18 |  | 2.4e4 | 5 | basalt drift | Sparrow Farm; Sparrow Swap
hearthlend | Hearthlend | HRTH | lending | 29 | devoted | 0.02 | -8 |  | 1.1e7 | 34 | alder cinder drift | Hearthlend Core; Hearthlend Isolated; Hearthlend Flash
kora-finance | Kōra Finance | KORA | lending | 14 | steady | 0.03 | -2 |  | 8.3e4 | 16 | basalt fjord | Kōra Markets; Kōra Vaults
longacre-credit | Longacre Credit | ACRE | lending | 9 | devoted | 0.01 | 0 |  | 5.1e5 | 11 | alder | Longacre Fixed
mirepond | Mirepond | MIRE | lending | 13 | fleeting | -0.06 | -3 | 23 | 6.5e3 | 6 | ember harbor | Mirepond Money Market
patient-liquidity | The Cooperative Society for Patient Liquidity and Other Gentle Experiments in Mutual Credit | COOP | lending | 5 | devoted | 0.04 | 4 |  | 5.1e4 | 7 | drift juniper | Patient Pools; Gentle Bonds
stillwater-stake | Stillwater Stake | STIL | liquid-staking | 37 | devoted | 0.02 | -10 |  | 4e6 | 27 | alder | Stillwater Staked Alder; Stillwater Withdrawals
basaltine | Basaltine | BLT | liquid-staking | 23 | devoted | 0.04 | -3 |  | 8.8e5 | 18 | basalt | Basaltine Pool; Basaltine Validators
anchorage-nodes | Anchorage Nodes | ANCR | liquid-staking | 8 | steady | 0 | 2 |  | 2.4e4 | 8 | ember garnet | Anchorage Pool
keelson | Keelson |  | liquid-staking | 5 | steady | 0.05 | 8 |  |  | 5 | fjord kelp | Keelson Staking
helix-perps | Helix Perps | HLX | derivatives | 40 | steady | 0.05 | -5 |  | 8.8e4 | 31 | basalt drift | Helix Perpetuals; Helix Options
vantage-margin | Vantage Margin | VNTG | derivatives | 17 | fading | 0.01 | -1 |  | 1.1e5 | 14 | cinder ember | Vantage Isolated; Vantage Cross
senal | Señal | SEN | derivatives | 8 | fading | 0.03 | 4 |  | 1.6e4 | 9 | fjord isobar | Señal Futuros; Señal Opciones
oddlot | Oddlot | ODD | derivatives | 14 | gone | -0.01 | 19 |  | 1e4 | 3 | drift | Oddlot Binary
plumbline | Plumbline Dollar | PLMB | stablecoin-issuers | 94 | devoted | 0.025 | -12 |  | 9.4e6 | 38 | alder basalt cinder drift ember | Plumbline Dollar; Plumbline Savings; Plumbline Desk
evenkeel | Evenkeel | EVK | stablecoin-issuers | 35 | steady | 0.015 | -4 |  | 2.9e6 | 17 | alder fjord | Evenkeel Dollar; Evenkeel Euro
copperleaf | Copperleaf | CPL | stablecoin-issuers | 12 | fading | -0.04 | 0 |  | 1.2e4 | 6 | garnet harbor | Copperleaf Notes
moorings | Moorings |  | stablecoin-issuers | 6 | steady | 0.02 | 15 |  |  | 4 | juniper lumen | Moorings Dollar
gallery-nine | Gallery Nine | GAL9 | nft-marketplaces | 48 | fading | -0.05 | -7 |  | 3.6e6 | 19 | alder ember | Gallery Nine Market; Gallery Nine Drops
brushwork | Brushwork | BRSH | nft-marketplaces | 22 | fleeting | -0.03 | -1 |  | 1.8e3 | 8 | basalt | Brushwork Bazaar
paperkite | Paperkite | KITE | nft-marketplaces | 14 | gone | 0 | 15 |  | 3.1e2 | 4 | drift garnet | Paperkite Auctions
vellum | Vellum |  | nft-marketplaces | 5 | fleeting | 0.02 | 28 |  |  | 5 | fjord | Vellum Press
orchard-quest | Orchard Quest | ORCH | gaming | 73 | fleeting | 0.01 | -2 |  | 3.3e3 | 26 | basalt ember garnet | Orchard World; Orchard Market; Orchard Guilds
nightferry | Nightferry | FERRY | gaming | 40 | steady | 0.03 | 1 |  | 1.7e3 | 21 | drift isobar | Nightferry; Nightferry Arena
tin-soldiers | Tin Soldiers | TIN | gaming | 50 | gone | -0.04 | 16 |  | 7.4e2 | 7 | harbor kelp | Tin Soldiers
mosskeep | Mosskeep | MOSS | gaming | 17 | devoted | 0.05 | 3 |  | 1.7e3 | 12 | juniper lumen | Mosskeep
lantern-run | Lantern Run | LNTN | gaming | 28 | fading | -0.02 | -1 |  | 9.7e2 | 9 | garnet | Lantern Run; Lantern Relay
causeway | Causeway | CAUS | bridges | 42 | fading | 0.02 | -6 |  | 2.5e6 | 23 | alder basalt drift ember | Causeway Bridge; Causeway Messaging
packet-ferry | Packet Ferry | PKT | bridges | 18 | fading | 0 | -2 |  | 3.4e5 | 10 | alder fjord harbor | Packet Ferry; Packet Ferry Express
span-nine | Span Nine | SPAN | bridges | 10 | fleeting | 0.04 | 17 |  | 2.7e4 | 7 | cinder garnet juniper | Span Nine
slipway | Slipway |  | bridges | 5 | steady | 0.03 | 22 |  |  | 3 | alder lumen | Slipway
`;

function optionalNumber(text: string): number | null {
  return text === "" ? null : Number(text);
}

function project(line: string): SampleProject {
  const cells = line.split("|").map((cell) => cell.trim());
  const [project_id, project_name, symbol, market_sector_id, users, loyalty] = cells as string[];
  const [growth, born, died, market_cap, developers, chains, products] = cells.slice(6) as string[];
  return {
    project_id: project_id!,
    project_name: project_name!,
    symbol: symbol || null,
    market_sector_id: market_sector_id!,
    users: Number(users),
    loyalty: loyalty as Loyalty,
    growth: Number(growth),
    born: Number(born),
    died: optionalNumber(died!),
    market_cap: optionalNumber(market_cap!),
    developers: Number(developers),
    chains: chains!.split(" "),
    products: products!.split("; "),
  };
}

/** The 36 invented projects of the sample data with their 60 products. */
export const SAMPLE_PROJECTS: readonly SampleProject[] = TABLE.trim().split("\n").map(project);

/** Projects with a former id, which redirects to the new one. */
export const SAMPLE_RENAMES: readonly { old_project_id: string; project_id: string }[] = [
  { old_project_id: "tidepool", project_id: "tidewater" },
  { old_project_id: "plumb-usd", project_id: "plumbline" },
];
