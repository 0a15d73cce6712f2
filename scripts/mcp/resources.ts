import { loadEntries } from "../../lib/help/entries.ts";
import { firstSentence } from "../../lib/help/near.ts";
import { help } from "../../mod.ts";
import { safeText } from "./safe.ts";

const PREFIX = "chainframe://help/";
const PLAIN = "text/plain";

/** Lists the pages of help of the functions. */
export async function listHelp(): Promise<{ resources: unknown[] }> {
  const { names } = await loadEntries();
  const functions = names.filter(({ kind }) => kind === "function");
  const resources = functions.map(({ name, about }) => ({
    uri: `${PREFIX}${name}`,
    name,
    description: firstSentence(about),
    mimeType: PLAIN,
  }));
  return { resources };
}

/** Lists the form of the addresses of all pages of help: those of functions, columns, options and words. */
export function listHelpTemplates(): { resourceTemplates: unknown[] } {
  const description = "Explains a function, a column, an option or a word";
  const template = { uriTemplate: `${PREFIX}{name}`, name: "help", description, mimeType: PLAIN };
  return { resourceTemplates: [template] };
}

/** An error of the protocol: the parameters of a request are not valid. */
const NOT_VALID = -32_602;

/** Reads a page of help. Throws for any other address. */
export async function readHelp(uri: string): Promise<{ contents: unknown[] }> {
  try {
    if (!uri.startsWith(PREFIX)) throw new RangeError(`uri: must be ${PREFIX}NAME; got "${uri}"`);
    const page = await help(decodeURIComponent(uri.slice(PREFIX.length)));
    return { contents: [{ uri, mimeType: PLAIN, text: String(page) }] };
  } catch (error) {
    const message = safeText((error as Error).message, { redact: (text) => text });
    throw Object.assign(new RangeError(message, { cause: error }), { code: NOT_VALID });
  }
}
