import { mkdir, rm } from "node:fs/promises";
import {
  archivedIn,
  archivedName,
  bodyName,
  fileText,
  removeLeftovers,
  shortDigest,
} from "./cache_files.ts";
import {
  type CacheEntry,
  type Confirmation,
  confirmationLine,
  confirmationsIn,
  type EntryHeader,
  headerOf,
  headerText,
} from "./cache_entry.ts";
import { type ApiRequest, requestKey } from "./request.ts";
import type { ConnectionSettings } from "./options.ts";
import { appendBytes, hasCode, readFile, writeWhole } from "../platform/file.ts";
import { sha256 } from "../platform/machine.ts";

/** Returns a header with the values of its last confirmation. Confirmations after `moment` are ignored. */
function applied(
  header: EntryHeader,
  confirmations: readonly Confirmation[],
  moment: Date | null,
): EntryHeader {
  const last = confirmations.findLast(({ sha256, checked_at }) =>
    sha256 === header.sha256 && checked_at >= header.checked_at &&
    (moment === null || checked_at <= moment)
  );
  const stated = Object.entries(last ?? {}).filter(([, value]) => value !== null);
  return { ...header, ...Object.fromEntries(stated) };
}

// A link in a foreign folder must not lead to a file that is then overwritten. The folder itself may be a link.
const LINKS = { followLinks: false };

/**
 * Creates a cache that stores responses in a folder. The folder is created when the first response is stored. If the
 * folder cannot be used, requests still succeed, and one warning is shown.
 */
export function createCache(dir: string, settings: ConnectionSettings) {
  const { baseUrl, redact, redactBody = redact, cache, clock, warn } = settings;
  let archive: ReturnType<typeof archivedIn> | null = null;
  let keepsAll = cache?.keep === "all";
  let ready: Promise<void> | null = null;
  const archivedHeaders = new Set<string>();

  const stemOf = (request: ApiRequest) =>
    `${request.operation}-${sha256(requestKey(baseUrl, request)).slice(0, 32)}`;
  const bodyPath = (stem: string, digest: string) => `${dir}/${bodyName(stem, digest)}`;
  const headerPath = (stem: string) => `${dir}/${stem}.json`;
  const confirmedPath = (stem: string) => `${dir}/${stem}.confirmed.jsonl`;

  const headerIn = async (path: string, request: ApiRequest) =>
    headerOf(await fileText(path), request, baseUrl);
  const newest = (request: ApiRequest) => headerIn(headerPath(stemOf(request)), request);
  const archivedOf = async (request: ApiRequest) =>
    (await (archive ??= archivedIn(dir))).get(stemOf(request)) ?? [];
  const confirmationsOf = async (request: ApiRequest) =>
    confirmationsIn(await fileText(confirmedPath(stemOf(request))));

  /** Returns a header with its body; null if the body is missing or incomplete. */
  const entryOf = async (request: ApiRequest, header: EntryHeader, moment: Date | null) => {
    const bytes = await readFile(bodyPath(stemOf(request), header.sha256));
    if (bytes?.length !== header.bytes || sha256(bytes) !== header.sha256) return null;
    return { ...applied(header, await confirmationsOf(request), moment), bytes };
  };

  const readNewest = async (request: ApiRequest): Promise<CacheEntry | null> => {
    for (let before: string | null = null;;) {
      const header = await newest(request);
      // If the header has not changed since the previous iteration, no writer has replaced the body: the body is
      // missing.
      if (header === null || header.sha256 === before) return null;
      const entry = await entryOf(request, header, null);
      if (entry !== null) return entry;
      before = header.sha256;
    }
  };

  const readAt = async (request: ApiRequest, moment: Date): Promise<CacheEntry | null> => {
    const last = (await archivedOf(request)).findLast(({ retrieved_at }) => retrieved_at <= moment);
    const now = await newest(request);
    // Both headers can describe the same response. The archived header is then used, because archived headers are never
    // rewritten.
    const usesNewest = now !== null && now.retrieved_at <= moment &&
      !(last !== undefined && last.retrieved_at >= now.retrieved_at);
    const header = usesNewest ? now : last && await headerIn(`${dir}/${last.name}`, request);
    // Rejects a header whose time is later than the time in its file name.
    if (!header || header.retrieved_at > moment) return null;
    return await entryOf(request, header, moment);
  };

  const holdsToken = (bytes: Uint8Array) => {
    const text = new TextDecoder().decode(bytes);
    return redactBody(text) !== text;
  };
  const headerBytes = (request: ApiRequest, header: EntryHeader) => {
    const answer = bodyName(stemOf(request), header.sha256);
    return new TextEncoder().encode(headerText(request, header, { baseUrl, answer }));
  };
  const markOf = (stem: string, digest: string) => `${stem} ${shortDigest(digest)}`;

  /** Detects whether the folder is an archive. In an archive, every response is kept, even with `keep: "newest"`. */
  const lookForArchive = async () => {
    for (const [stem, headers] of await archivedIn(dir)) {
      for (const { digest } of headers) archivedHeaders.add(`${stem} ${digest}`);
      keepsAll = true;
    }
  };
  const prepare = async () => {
    await mkdir(dir, { recursive: true });
    await lookForArchive();
    await removeLeftovers(dir, clock.now());
  };

  /** Writes an archived header, unless its file already exists. */
  const writeArchived = async (request: ApiRequest, header: EntryHeader) => {
    const stem = stemOf(request);
    archivedHeaders.add(markOf(stem, header.sha256));
    await writeWhole(`${dir}/${archivedName(stem, header)}`, headerBytes(request, header), LINKS)
      .catch((error) => {
        if (!hasCode(error, "EEXIST")) throw error;
      });
  };

  const write = async (request: ApiRequest, { bytes, ...about }: CacheEntry) => {
    const stem = stemOf(request);
    const header = { ...about, bytes: bytes.length };
    if (holdsToken(headerBytes(request, header)) || holdsToken(bytes)) {
      const why = "not stored in the cache, because the response contains the token";
      return warn(`chainframe: ${request.operation}: ${why}`);
    }
    await (ready ??= prepare());
    const before = await newest(request).catch(() => null);
    const differs = before?.sha256 !== header.sha256 || before.status !== header.status;
    // Another writer may have started an archive in this folder in the meantime.
    if (before !== null && differs && !keepsAll) await lookForArchive();
    await writeWhole(bodyPath(stem, header.sha256), bytes, { ...LINKS, force: true });
    if (keepsAll) {
      // The response that was stored before the archive began becomes the first archived response.
      const isNew = before !== null && !archivedHeaders.has(markOf(stem, before.sha256));
      if (isNew) await writeArchived(request, before);
      if (differs) await writeArchived(request, header);
    }
    await writeWhole(headerPath(stem), headerBytes(request, header), { ...LINKS, force: true });
    if (keepsAll || before === null) return;
    await rm(confirmedPath(stem)).catch(() => {});
    // Another writer may have stored the previous response again. The body of the previous response must then be kept.
    const now = await newest(request).catch(() => null);
    if (differs && now?.sha256 !== before.sha256) {
      await rm(bodyPath(stem, before.sha256)).catch(() => {});
    }
  };

  const confirm = async (request: ApiRequest, entry: CacheEntry) => {
    const line = new TextEncoder().encode(confirmationLine(entry));
    if (holdsToken(line)) return;
    await appendBytes(confirmedPath(stemOf(request)), line);
  };

  const remove = async (request: ApiRequest, digest: string) => {
    const stem = stemOf(request);
    // Another writer may have stored another response in the meantime.
    if ((await newest(request))?.sha256 !== digest) return;
    await rm(headerPath(stem), { force: true });
    await lookForArchive();
    if (!archivedHeaders.has(markOf(stem, digest))) {
      await rm(bodyPath(stem, digest), { force: true });
    }
    if (!keepsAll) await rm(confirmedPath(stem), { force: true });
  };

  const complain = (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    warn(`chainframe: the cache in ${dir} cannot be used: ${redact(reason)}`, "cache");
  };
  const orNull = (reading: Promise<CacheEntry | null>) =>
    reading.catch((error) => {
      complain(error);
      return null;
    });

  return {
    /**
     * Returns the newest complete entry of a request, or null. If the option `asOf` is set, returns the entry that was
     * the newest at that moment.
     */
    read: (request: ApiRequest) =>
      orNull(cache?.asOf ? readAt(request, cache.asOf) : readNewest(request)),
    /**
     * Returns the entry that was the newest at a moment, with the confirmations up to that moment; null if no entry
     * existed.
     */
    readAt: (request: ApiRequest, moment: Date) => orNull(readAt(request, moment)),
    /**
     * Returns the times at which the stored responses of a request arrived, oldest first. With `confirmed`, also returns
     * the times at which the service confirmed them.
     */
    times: async (request: ApiRequest, { confirmed = false } = {}) => {
      const all = [await newest(request) ?? [], ...await archivedOf(request)].flat();
      const times = new Set(all.map(({ retrieved_at }) => retrieved_at.getTime()));
      const checks = confirmed ? await confirmationsOf(request) : [];
      for (const { checked_at } of checks) times.add(checked_at.getTime());
      return [...times].sort((a, b) => a - b).map((time) => new Date(time));
    },
    /** Stores a response. The previous response to the request is deleted, unless the folder is an archive. */
    write: (request: ApiRequest, entry: CacheEntry) => write(request, entry).catch(complain),
    /** Records that the service confirmed an entry (304). */
    confirm: (request: ApiRequest, entry: CacheEntry) => confirm(request, entry).catch(complain),
    /** Removes the response with a digest to a request. An archive keeps its body. */
    remove: (request: ApiRequest, digest: string) => remove(request, digest).catch(complain),
  };
}
