import { blockchainComparison, connect } from "../../mod.ts";

/**
 * Reads every response that an archive of comparisons keeps, as of the moment at which it came, and gives
 * back how many there were.
 */
export async function fetchAsOf(dir: string, baseUrl: string): Promise<number> {
  let read = 0;
  for (const { name } of Deno.readDirSync(dir)) {
    if (!name.endsWith(".jsonl")) continue;
    for (const line of (await Deno.readTextFile(`${dir}/${name}`)).split("\n")) {
      // A killed writer left a line without its end.
      if (!line.endsWith("}")) continue;
      const { url, checked_at } = JSON.parse(line);
      const chain = new URL(url).searchParams.get("chain_ids")!;
      const cache = { dir, mode: "offline", asOf: checked_at } as const;
      const connection = connect({ baseUrl, cache, onMissing: "ignore" });
      const frame = await blockchainComparison({ chain_ids: [chain] }, connection);
      if (frame.height !== 1) throw new Error(`${name}: ${frame.height} rows`);
      read++;
    }
  }
  return read;
}
