/** A market sector of the sample data, and the behavior of its projects. */
interface SampleMarketSector {
  readonly market_sector_id: string;
  readonly market_sector_name: string;
  /** Gas per transaction. */
  readonly gas: number;
  /** Fraction of the fees that a project keeps. */
  readonly take: number;
  /** Traded volume per transaction in US dollars on the largest chain; null if it is not an exchange. */
  readonly trade: number | null;
  /** Size of a deposit in US dollars on the largest chain. */
  readonly deposit: number;
  /** Locked value per user in US dollars; null without deposits. */
  readonly locked: number | null;
  /** Fraction of the locked value that is lent; null without loans. */
  readonly lent: number | null;
  /** Titles of its contracts, and the most frequent event of each. */
  readonly contracts: readonly (readonly [title: string, event: string, signature: string])[];
}

const TRANSFER = ["Transfer", "Transfer(address,address,uint256)"] as const;

/** The eight market sectors of the sample data. */
export const SAMPLE_MARKET_SECTORS: readonly SampleMarketSector[] = [
  {
    market_sector_id: "exchanges-dex",
    market_sector_name: "Exchanges (DEX)",
    gas: 148_000,
    take: 0.16,
    trade: 900,
    deposit: 260,
    locked: 3800,
    lent: null,
    contracts: [
      ["Swap Router", "Swap", "Swap(address,uint256,uint256,uint256,uint256,address)"],
      ["Liquidity Pool", "Sync", "Sync(uint112,uint112)"],
      ["Fee Collector", "Collect", "Collect(address,uint256,uint256)"],
      ["Pool Factory", "PoolCreated", "PoolCreated(address,address,uint24,int24,address)"],
    ],
  },
  {
    market_sector_id: "lending",
    market_sector_name: "Lending",
    gas: 231_000,
    take: 0.12,
    trade: null,
    deposit: 1200,
    locked: 15_000,
    lent: 0.46,
    contracts: [
      ["Lending Pool", "Supply", "Supply(address,address,uint256)"],
      ["Borrow Controller", "Borrow", "Borrow(address,address,uint256,uint256)"],
      ["Price Oracle", "AnswerUpdated", "AnswerUpdated(int256,uint256,uint256)"],
      ["Liquidation Engine", "Liquidate", "Liquidate(address,address,uint256)"],
    ],
  },
  {
    market_sector_id: "liquid-staking",
    market_sector_name: "Liquid Staking",
    gas: 96_000,
    take: 0.1,
    trade: null,
    deposit: 2000,
    locked: 32_000,
    lent: null,
    contracts: [
      ["Staking Pool", "Submitted", "Submitted(address,uint256,address)"],
      ["Staked Token", ...TRANSFER],
      ["Withdrawal Queue", "WithdrawalClaimed", "WithdrawalClaimed(uint256,address,uint256)"],
      ["Node Registry", "NodeAdded", "NodeAdded(uint256,bytes)"],
    ],
  },
  {
    market_sector_id: "derivatives",
    market_sector_name: "Derivatives",
    gas: 312_000,
    take: 0.34,
    trade: 2400,
    deposit: 490,
    locked: 5500,
    lent: null,
    contracts: [
      ["Perpetual Market", "PositionChanged", "PositionChanged(address,int256,uint256)"],
      ["Margin Vault", "Deposit", "Deposit(address,uint256)"],
      ["Funding Keeper", "FundingPaid", "FundingPaid(address,int256)"],
      ["Order Book", "OrderFilled", "OrderFilled(bytes32,address,uint256,uint256)"],
    ],
  },
  {
    market_sector_id: "stablecoin-issuers",
    market_sector_name: "Stablecoin Issuers",
    gas: 58_000,
    take: 0.9,
    trade: null,
    deposit: 390,
    locked: 8000,
    lent: null,
    contracts: [
      ["Stable Token", ...TRANSFER],
      ["Mint Controller", "Mint", "Mint(address,uint256)"],
      ["Reserve", "ReserveMoved", "ReserveMoved(uint256,uint256)"],
      ["Redemption Desk", "Redeemed", "Redeemed(address,uint256)"],
    ],
  },
  {
    market_sector_id: "nft-marketplaces",
    market_sector_name: "NFT Marketplaces",
    gas: 187_000,
    take: 0.55,
    trade: null,
    deposit: 33,
    locked: null,
    lent: null,
    contracts: [
      ["Marketplace", "OrderFulfilled", "OrderFulfilled(bytes32,address,address,uint256)"],
      ["Royalty Splitter", "RoyaltyPaid", "RoyaltyPaid(address,uint256)"],
      ["Collection", ...TRANSFER],
      ["Auction House", "BidPlaced", "BidPlaced(uint256,address,uint256)"],
    ],
  },
  {
    market_sector_id: "gaming",
    market_sector_name: "Gaming",
    gas: 71_000,
    take: 0.7,
    trade: null,
    deposit: 3,
    locked: null,
    lent: null,
    contracts: [
      ["Game World", "MoveMade", "MoveMade(uint256,address,uint8)"],
      ["Item Shop", "ItemBought", "ItemBought(address,uint256,uint256)"],
      ["Reward Pool", "RewardClaimed", "RewardClaimed(address,uint256)"],
      ["Character", ...TRANSFER],
    ],
  },
  {
    market_sector_id: "bridges",
    market_sector_name: "Bridges",
    gas: 121_000,
    take: 0.4,
    trade: null,
    deposit: 580,
    locked: 4600,
    lent: null,
    contracts: [
      ["Bridge Gate", "MessageSent", "MessageSent(bytes32,uint256,address)"],
      ["Lock Box", "Locked", "Locked(address,uint256,uint64)"],
      ["Relayer Hub", "MessageRelayed", "MessageRelayed(bytes32)"],
      ["Fee Vault", "FeePaid", "FeePaid(address,uint256)"],
    ],
  },
];
