import { fileSnapshot, sampleSnapshot, type Snapshot } from "./snapshot.ts";

/** A snapshot that is held open until it is released. */
interface Lease {
  readonly snapshot: Snapshot;
  release(): void;
}

/** Where the data of a service comes from. */
interface Snapshots {
  /** The data as it is now. */
  acquire(): Lease;
  /** Closes the data; leases that are still out keep theirs until they are released. */
  close(): void;
}

/** How a file of data is watched. */
interface FileSnapshotsOptions {
  /** The clock, in milliseconds. */
  readonly now: () => number;
  /** Told when a new file cannot be opened: the old one goes on serving. */
  readonly onError: (error: unknown) => void;
}

const CHECK_EVERY_MS = 200;

interface Held {
  readonly snapshot: Snapshot;
  leases: number;
  retired: boolean;
}

function letGo(held: Held): void {
  if (held.retired && held.leases === 0) held.snapshot.close();
}

function lease(held: Held): Lease {
  held.leases++;
  let out = true;
  return {
    snapshot: held.snapshot,
    release() {
      if (!out) return;
      out = false;
      held.leases--;
      letGo(held);
    },
  };
}

function retire(held: Held): void {
  held.retired = true;
  letGo(held);
}

/** The sample data, made in memory. */
export async function sampleSnapshots(): Promise<Snapshots> {
  const held: Held = { snapshot: await sampleSnapshot(), leases: 0, retired: false };
  return { acquire: () => lease(held), close: () => retire(held) };
}

function identity(path: string): string | null {
  try {
    const { ino, mtime, size } = Deno.statSync(path);
    return `${ino}/${mtime?.getTime()}/${size}`;
  } catch {
    return null;
  }
}

/**
 * A file of data that may be replaced while it is served. A new file is opened beside the old one,
 * and takes over once it is ready; who is being answered from the old one is answered to the end.
 */
export async function fileSnapshots(
  path: string,
  options: FileSnapshotsOptions,
): Promise<Snapshots> {
  const { now, onError } = options;
  let seen = identity(path);
  let current: Held = { snapshot: await fileSnapshot(path), leases: 0, retired: false };
  let checked = now();
  let opening = false;
  let closed = false;

  const replace = async (found: string) => {
    opening = true;
    try {
      const snapshot = await fileSnapshot(path);
      if (closed) return snapshot.close();
      retire(current);
      current = { snapshot, leases: 0, retired: false };
    } catch (error) {
      onError(error);
    } finally {
      // A file that does not open is tried again only when it has changed.
      seen = found;
      opening = false;
    }
  };

  return {
    acquire() {
      if (!opening && now() - checked >= CHECK_EVERY_MS) {
        checked = now();
        const found = identity(path);
        if (found !== null && found !== seen) void replace(found);
      }
      return lease(current);
    },
    close() {
      closed = true;
      retire(current);
    },
  };
}
