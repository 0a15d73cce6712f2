import { blockchainComparison, connect } from "../../mod.ts";

/**
 * Reads every response that an archive of comparisons keeps, as of the moment at which it came, and gives
 * back how many there were.
 */
export async function fetchAsOf(dir: string, baseUrl: string): Promise<number> {
  let read = 0;
  for (const { name } of Deno.readDirSync(dir)) {
    // Half of a header, which a killed writer left, ends in .tmp.
    if (!/\.\d{8}T\d{6}\.\d{3}Z\..*\.json$/.test(name)) continue;
    const { url, retrieved_at } = JSON.parse(await Deno.readTextFile(`${dir}/${name}`));
    const chain = new URL(url).searchParams.get("chain_ids")!;
    const cache = { dir, mode: "offline", asOf: retrieved_at } as const;
    const connection = connect({ baseUrl, cache, onMissing: "ignore" });
    const frame = await blockchainComparison({ chain_ids: [chain] }, connection);
    if (frame.height !== 1) throw new Error(`${name}: ${frame.height} rows`);
    read++;
  }
  return read;
}
