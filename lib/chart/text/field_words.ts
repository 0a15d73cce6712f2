/** What a number counts, and so how it is written. */
export type Unit = "usd" | "change" | "share" | "count";

/** What the name of a numeric field says. */
export interface FieldWords {
  /** For a heading: `Ecosystem fees over 30 days`. */
  readonly title: string;
  readonly unit: Unit;
  /** For an axis: `US$`, `users`, `%`. */
  readonly axis: string;
  /** Whether the values of several entities may be added up. */
  readonly additive: boolean;
}

const NAME = /^(.+?)(?:_(1d|7d|30d|90d|180d|365d|max))?(?:_(latest|change|sum|trend|avg))?$/;

const BASES: Readonly<Record<string, string>> = {
  market_cap_fd: "Market cap, fully diluted",
  market_cap_circ: "Market cap, circulating",
  active_users_daily: "Daily active users",
};

const ABBREVIATIONS: Readonly<Record<string, string>> = { tvl: "TVL", dex: "DEX", nft: "NFT" };

const COUNTED = [
  [/users/, "users"],
  [/addresses/, "addresses"],
  [/developers/, "developers"],
  [/transaction_count|transactions/, "transactions"],
  [/contracts/, "contracts"],
  [/project_count/, "projects"],
  [/commits/, "commits"],
  [/gas/, "gas"],
] as const;

const MONEY =
  /fees|revenue|volume|tvl|loans|market_cap|price|flows|value|treasury|earnings|supply_usd/;

function sentence(base: string): string {
  const words = base.split("_").map((word) => ABBREVIATIONS[word] ?? word).join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function days(window: string): string {
  return window === "1d" ? "1 day" : `${window.slice(0, -1)} days`;
}

function titleOf(base: string, window: string | undefined, statistic: string | undefined): string {
  const name = BASES[base] ?? sentence(base);
  const over = window === undefined
    ? ""
    : window === "max"
    ? " over all time"
    : ` over ${days(window)}`;
  switch (statistic) {
    case "change":
      return over === "" ? `${name}, change` : `${name}, change${over}`;
    case "trend":
      return over === ""
        ? `${name} against the window before`
        : `${name}${over} against the ${days(window!)} before`;
    case "latest":
      return `${name}, latest`;
    case "avg":
      return `${name}, average${over}`;
    case "sum":
      return over === "" ? `${name}, sum` : `${name}${over}`;
    default:
      return `${name}${over}`;
  }
}

/** Reads the name of a field of the interface; an unknown name is read as a plain number. */
export function fieldWords(field: string): FieldWords {
  const [, base = field, window, statistic] = NAME.exec(field) ?? [];
  const title = titleOf(base, window, statistic);
  if (statistic === "change" || statistic === "trend") {
    return { title, unit: "change", axis: "change, %", additive: false };
  }
  if (/share|retention/.test(base)) return { title, unit: "share", axis: "%", additive: false };
  const counted = COUNTED.find(([pattern]) => pattern.test(base))?.[1];
  const additive = statistic !== "avg";
  if (counted !== undefined) return { title, unit: "count", axis: counted, additive };
  if (MONEY.test(base)) return { title, unit: "usd", axis: "US$", additive };
  return { title, unit: "count", axis: "", additive };
}
