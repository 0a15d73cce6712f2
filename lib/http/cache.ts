import { mkdir, readdir } from "node:fs/promises";
import { type CacheEntry, type EntryHeader, headerLine, headersIn } from "./cache_entry.ts";
import { type ApiRequest, requestKey } from "./request.ts";
import type { ConnectionSettings } from "./settings.ts";
import { appendSync, readFile, writeWhole } from "../platform/file.ts";
import { sha256 } from "../platform/machine.ts";

/** The names of bodies, and of headers, which earlier versions replaced. */
const ENTRY = /^[A-Za-z_]+-[0-9a-f]{32}\.(?:[0-9a-f]{16}\.body\.json|jsonl)$/;

/** Returns the time from which on an entry was current. */
function currentFrom({ retrieved_at, checked_at }: EntryHeader): number {
  // The check is earlier if the clock was set back in the meantime.
  return Math.max(retrieved_at.getTime(), checked_at.getTime());
}

/**
 * Creates a cache that stores responses in a folder. Each response and each confirmation (304) adds a line to the
 * headers of its request. Bodies are files whose names have the digest of the content, and nothing is replaced, so that
 * several processes can write at the same time. The folder is created when the first response is stored. If the folder
 * cannot be used, requests still succeed, and one warning is shown.
 */
export function createCache(dir: string, settings: ConnectionSettings) {
  const { baseUrl, redact, redactBody = redact, cache, warn } = settings;

  const pathOf = (request: ApiRequest) =>
    `${dir}/${request.operation}-${sha256(requestKey(baseUrl, request)).slice(0, 32)}`;
  const bodyPath = (request: ApiRequest, header: EntryHeader) =>
    `${pathOf(request)}.${header.sha256.slice(0, 16)}.body.json`;
  const logPath = (request: ApiRequest) => `${pathOf(request)}.jsonl`;

  const headersOf = async (request: ApiRequest) => {
    const bytes = await readFile(logPath(request));
    return headersIn(new TextDecoder().decode(bytes ?? undefined), request, baseUrl);
  };
  const newest = async (request: ApiRequest) => {
    const header = (await headersOf(request)).at(-1);
    return header?.removed ? undefined : header;
  };
  const headerAt = async (request: ApiRequest, moment: Date) =>
    (await headersOf(request)).filter((header) => currentFrom(header) <= moment.getTime())
      .sort((a, b) => currentFrom(a) - currentFrom(b)).at(-1);

  /** Finds a stored file by its digest: the name of its entry has the digest of the secrets of its address. */
  const find = async (request: ApiRequest, digest: string): Promise<CacheEntry | null> => {
    try {
      const end = `.${digest.slice(0, 16)}.body.json`;
      const bodies = (await readdir(dir)).filter((name) =>
        name.startsWith(`${request.operation}-`) && name.endsWith(end)
      );
      for (const name of bodies) {
        const log = await readFile(`${dir}/${name.slice(0, -end.length)}.jsonl`);
        const header = headersIn(new TextDecoder().decode(log ?? undefined), request, baseUrl)
          .findLast(({ sha256 }) => sha256 === digest);
        const bytes = header === undefined ? null : await readFile(`${dir}/${name}`);
        if (bytes !== null && sha256(bytes) === digest) return { ...header!, bytes };
      }
    } catch (error) {
      complain(error);
    }
    return null;
  };

  /** Reads the entry of a header. Returns null if the body is missing or damaged. */
  const read = async (
    request: ApiRequest,
    finding: Promise<EntryHeader | undefined>,
  ): Promise<CacheEntry | null> => {
    try {
      const header = await finding;
      const bytes = header === undefined ? null : await readFile(bodyPath(request, header));
      return bytes === null || sha256(bytes) !== header!.sha256 ? null : { ...header!, bytes };
    } catch (error) {
      complain(error);
      return null;
    }
  };

  const holdsToken = (text: string) => redactBody(text) !== text;
  const append = (request: ApiRequest, header: EntryHeader) => {
    const line = headerLine(request, header, baseUrl);
    if (!holdsToken(line)) appendSync(logPath(request), line);
  };

  const write = async (request: ApiRequest, entry: CacheEntry) => {
    const texts = [headerLine(request, entry, baseUrl), new TextDecoder().decode(entry.bytes)];
    if (texts.some(holdsToken)) {
      const why = "not stored in the cache, because the response contains the token";
      return warn(`chainframe: ${request.operation}: ${why}`);
    }
    const before = await newest(request);
    const isSame = before?.sha256 === entry.sha256 && before.status === entry.status;
    await mkdir(dir, { recursive: true });
    // A link in a foreign folder must not lead to a file that is then overwritten. The folder itself may be a link.
    const options = { followLinks: false, force: true, siblings: ENTRY };
    await writeWhole(bodyPath(request, entry), entry.bytes, options);
    append(request, isSame ? { ...entry, retrieved_at: before.retrieved_at } : entry);
  };

  const remove = async (request: ApiRequest, digest: string) => {
    const header = await newest(request);
    // Another writer may have stored another response in the meantime.
    if (header?.sha256 === digest) append(request, { ...header, removed: true });
  };

  const complain = (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    warn(`chainframe: the cache in ${dir} cannot be used: ${redact(reason)}`, "cache");
  };

  return {
    /**
     * Returns the newest complete entry of a request, or null. If the option `asOf` is set, returns the entry that was
     * the newest at that moment. Of a file with a digest, returns the entry with this digest.
     */
    read: (request: ApiRequest) =>
      request.file?.sha256 !== undefined
        ? find(request, request.file.sha256)
        : read(request, cache?.asOf ? headerAt(request, cache.asOf) : newest(request)),
    /**
     * Returns the times at which the stored responses of a request arrived, oldest first. With `confirmed`, also returns
     * the times at which the service sent the same body again, or confirmed it.
     */
    times: async (request: ApiRequest, { confirmed = false } = {}) => {
      const headers = await headersOf(request);
      const times = headers.flatMap((header) => [
        header.retrieved_at.getTime(),
        ...confirmed ? [currentFrom(header)] : [],
      ]);
      return [...new Set(times)].sort((a, b) => a - b).map((time) => new Date(time));
    },
    /** Stores a response. */
    write: (request: ApiRequest, entry: CacheEntry) => write(request, entry).catch(complain),
    /** Records that the service confirmed an entry (304). */
    confirm: (request: ApiRequest, entry: CacheEntry) =>
      Promise.try(() => append(request, entry)).catch(complain),
    /** Removes the response with a digest to a request. Its version can still be read as of a moment. */
    remove: (request: ApiRequest, digest: string) => remove(request, digest).catch(complain),
  };
}
