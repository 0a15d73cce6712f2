import { deepStrictEqual as equal } from "node:assert/strict";
import { buildData, createService } from "../../lib/service/mod.ts";
import { get, TOKEN } from "./call_service.ts";
import { inFolder } from "../in_folder.ts";
import { writeFacts } from "./facts_model.ts";
import { tinyFacts } from "./tiny_facts.ts";

/** Writes facts whose only chain has a name. */
export async function writeNamed(folder: string, chain_name: string): Promise<void> {
  const facts = tinyFacts();
  facts.chains[0]!.chain_name = chain_name;
  await writeFacts(folder, facts);
}

/** The name of the only chain of a file of data, from the service. */
export async function chainIn(data: string): Promise<string> {
  const service = await createService({ tokens: [TOKEN], data });
  const { body } = await get(service, "/v2/datasets/blockchain_comparison");
  await service.close();
  return body.data[0].chain_name;
}

/** Builds from folders with these names, beside folders that the names match as patterns. */
export async function buildFromNames(names: readonly string[]): Promise<void> {
  await inFolder(async (folder) => {
    for (const name of ["facts1", "factsX", "A", "ab"]) {
      await writeNamed(`${folder}/${name}`, "decoy");
    }
    for (const name of names) {
      await writeNamed(`${folder}/${name}`, name);
      const out = `${folder}/data.duckdb`;
      await buildData({ facts: `${folder}/${name}`, out });
      equal(await chainIn(out), name);
    }
  });
}
