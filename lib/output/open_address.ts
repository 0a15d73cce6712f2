import { type Connection, settingsOf } from "../http/connect.ts";
import { fetchFile } from "../http/fetch_file.ts";
import { MAX_BYTES } from "../http/send.ts";
import { sha256 } from "../platform/machine.ts";
import { notify, shown, terminalText } from "../platform/terminal.ts";
import type { Frame } from "../table/columns/polars.ts";
import { noteOutput } from "../table/track/own_data.ts";
import { annotateUnknown, noteOpened } from "../table/track/provenance.ts";
import { track } from "../table/track/track.ts";
import { sourced } from "../table/track/with_source.ts";
import { notesOn, noticesOn } from "./findings.ts";
import { type ForeignTable, foreignTable, formatIn, inFrame } from "./foreign_table.ts";
import { memberAt } from "./json_table.ts";
import { type TableOptions, tableOptions } from "./table_options.ts";

type Page = Awaited<ReturnType<typeof fetchFile>>;
/** A list with at least one element. */
type Some<Each> = readonly [Each, ...Each[]];

/** Maximum number of pages. */
const MOST_PAGES = 1_000;

/** Returns the address of the page after a page; null after the last page. */
function addressAfter(
  { bytes }: Page,
  address: string,
  { next, parameter }: { readonly next: string; readonly parameter?: string },
): string | null {
  const value = memberAt(bytes, next);
  if (value === undefined || value === null || value === "" || value === false) return null;
  if (typeof value !== "string" && typeof value !== "number") {
    throw new RangeError(`next: ${next} must be a text or a number; got ${shown(value)}`);
  }
  const url = new URL(address);
  if (parameter === undefined && /^(?:https?:|[/?])/i.test(String(value))) {
    const to = URL.parse(String(value), url);
    if (to?.origin === url.origin) return to.href;
    throw new RangeError(
      `next: ${next} must stay at ${url.origin}; got ${to?.origin ?? shown(value)}`,
    );
  }
  url.searchParams.set(parameter ?? next.split(".").at(-1)!, String(value));
  return url.href;
}

/** Throws an error if a page cannot be one of the pages of a table. */
function requirePage(pages: readonly Page[], maxBytes: number): void {
  const at = pages.length - 1;
  const same = pages.findIndex(({ sha256 }) => sha256 === pages[at]!.sha256);
  if (same < at) throw new RangeError(`next: page ${at + 1} is the same as page ${same + 1}`);
  if (pages.length > MOST_PAGES) throw new RangeError(`next: expected at most ${MOST_PAGES} pages`);
  const bytes = pages.reduce((sum, page) => sum + page.bytes.length, 0);
  if (bytes > maxBytes) {
    throw new RangeError(`maxBytes: the pages have more than ${maxBytes} bytes`);
  }
}

/** Calls a function that reads a page, or the pages from this one on. An error names this page. */
function reading<Result>({ redact, url }: Page, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    const [reason] = (cause as Error).message.split("\n");
    const told = terminalText(redact(reason!).slice(0, 300));
    throw new RangeError(`openFrame: ${told}; read from ${url}`);
  }
}

/** Fetches the pages of a table, in order. */
async function fetchPages(
  address: string,
  { table, fetching: { maxBytes = MAX_BYTES, secret, next, parameter }, connection, sha256 }:
    & Pick<ReturnType<typeof tableOptions>, "table" | "fetching">
    & { readonly connection: Connection; readonly sha256?: string | undefined },
): Promise<Some<Page>> {
  // The digest of several pages is not that of the first.
  const known = next === undefined ? { sha256 } : {};
  const first = await fetchFile(address, { maxBytes, secret, ...known }, connection);
  const pages: [Page, ...Page[]] = [first];
  if (next === undefined) return pages;
  const format = reading(
    first,
    () => table.format ?? formatIn(first.bytes, new URL(address).pathname),
  );
  const leads = { next, ...parameter === undefined ? {} : { parameter } };
  for (let url: string | null = address;;) {
    const page = pages.at(-1)!;
    url = reading(page, () => {
      if (format !== "json") throw new RangeError(`next: is for JSON; got ${format}`);
      requirePage(pages, maxBytes);
      return addressAfter(page, url!, leads);
    });
    if (url === null) return pages;
    pages.push(await fetchFile(url, { maxBytes, secret }, connection));
  }
}

/** Returns the digest of a page, or of the digests of several pages. */
function digestOf(pages: Some<Page>): string {
  const digests = pages.map(({ sha256 }) => sha256);
  return digests.length === 1 ? digests[0]! : sha256(digests.join(""));
}

/** Makes the frame of the pages of a table, and shows what was found. */
function frameOf(pages: Some<Page>, table: ForeignTable) {
  const [first] = pages;
  const bodies = pages.map(({ bytes }) => bytes) as [Uint8Array, ...Uint8Array[]];
  const { frame, findings, names } = foreignTable(bodies, table);
  if (first.next_page && !table.isLast) {
    findings.warnings.push(
      'the response seems to be one page of several: its header Link has rel="next"',
    );
  }
  for (const notice of noticesOn(findings)) {
    notify(terminalText(first.redact(`openFrame: ${notice}`)));
  }
  const file_sha256 = digestOf(pages);
  const notes = notesOn(findings).map(first.redact);
  const made = annotateUnknown(
    track(frame),
    () => ({ file: null, file_sha256, ...notes.length > 0 && { notes } }),
  );
  return { frame: made, names };
}

/**
 * Returns the frame of a table at an address, with its source. `sha256` is the digest of one stored page, which also finds
 * the page of an address whose secrets are hidden.
 */
export async function openAddress(
  address: string,
  options: TableOptions,
  { connection, sha256 }: { readonly connection: Connection; readonly sha256?: string | undefined },
): Promise<Frame> {
  const { table, source, fetching } = tableOptions(options, "address");
  const pages = await fetchPages(address, { table, fetching, connection, sha256 });
  const name = new URL(address).pathname;
  const isLast = fetching.next !== undefined;
  // Rows are counted from the first page.
  const { frame, names } = reading(pages[0], () => frameOf(pages, { ...table, name, isLast }));
  for (const page of pages) await page.keep();
  const [{ url, retrieved_at, sample }] = pages;
  const made = sourced(
    frame,
    {
      ...inFrame(source, names),
      citation: source.citation!,
      url,
      retrievedAt: retrieved_at,
      sample,
    },
    "openFrame",
  );
  noteOutput(made, settingsOf(connection).lock);
  return noteOpened(made, { address: url, sha256: digestOf(pages), options });
}
