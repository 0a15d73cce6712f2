import { statSync } from "node:fs";
import { fileSnapshot, sampleSnapshot, type Snapshot } from "./snapshot.ts";

/** A snapshot that is held open until it is released. */
interface Lease {
  readonly snapshot: Snapshot;
  release(): void;
}

/** The source of a service's data. */
interface Snapshots {
  /** Returns a lease of the current data. */
  acquire(): Lease;
  /** Closes the data. Open leases stay valid until they are released. */
  close(): void;
}

/** How a data file is watched. */
interface FileSnapshotsOptions {
  /** The clock, in milliseconds. */
  readonly now: () => number;
  /** Called when a new file cannot be opened. The old one is still served. */
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

/** The sample data, in memory. */
export async function sampleSnapshots(): Promise<Snapshots> {
  const held: Held = { snapshot: await sampleSnapshot(), leases: 0, retired: false };
  return { acquire: () => lease(held), close: () => retire(held) };
}

function identity(path: string): string | null {
  try {
    const { ino, mtimeMs, size } = statSync(path);
    return `${ino}/${mtimeMs}/${size}`;
  } catch {
    return null;
  }
}

/**
 * A data file that can be replaced while it is served. The new file is opened in addition to the old one, and replaces
 * it when it is ready. Running requests finish with the old file.
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
      // A file that cannot be opened is retried only after it has changed.
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
