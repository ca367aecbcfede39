/** Receives the uploaded file of an earlier backup, verifies it, and stores it in the folder of the backups. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Refusal, type UploadedFile } from '@rdm/contracts';
import { syncDirectory } from '../../event-store/storage/disk.ts';
import { MaintenanceError } from '../errors.ts';
import { CHECK_SPACE_EVERY, UNFINISHED } from '../format/writer.ts';
import { type FreeSpace, requireFreeSpace } from '../free-space.ts';
import { requireKnownSchema } from '../restore/new-database.ts';
import { verifyFile } from '../verify-file.ts';

export interface UploadDependencies {
  folder: string;
  trustedKeys: () => Promise<readonly string[]>;
  /** The name of the backup that has this SHA-256, if there is one. */
  nameOf: (sha256: string) => Promise<string | undefined>;
  /** Replaced by tests. */
  freeSpace?: FreeSpace;
}

/**
 * Stores an uploaded backup, and leaves no file after an error. Throws a `Refusal`: BACKUP_DAMAGED, also for another
 * installation's backup; CONFLICT for a listed backup; WRONG_PASSPHRASE, NEWER_FORMAT or DISK_SPACE; INVALID for an
 * incomplete upload; UNAVAILABLE for any other `MaintenanceError`.
 */
export async function receiveBackup(
  { folder, trustedKeys, nameOf, freeSpace }: UploadDependencies,
  request: IncomingMessage,
  passphrase: string | undefined,
): Promise<UploadedFile> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // The name has the form of unfinished backups, so that the next start deletes the file if this process is killed.
  const path = join(folder, `rdm-upload-${randomUUID()}${UNFINISHED}`);
  try {
    const sha256 = await store(path, request, () => requireFreeSpace(folder, freeSpace));
    const existing = await nameOf(sha256);
    if (existing !== undefined) throw new Refusal('CONFLICT', `This backup is in the list already: ${existing}`);
    const { header, trailer, bytes, encrypted } = await verifyFile(path, {
      passphrase,
      trustedKeys: await trustedKeys(),
    });
    requireKnownSchema(header);
    const instant = header.createdAt.replace(/[-:]|\.\d+/g, '');
    const fileName = `rdm-${instant}-uploaded_${sha256.slice(0, 8)}.tar.gz${encrypted ? '.age' : ''}`;
    await rename(path, join(folder, fileName));
    syncDirectory(folder);
    const { position, seq, chainHash } = trailer.cut;
    return {
      ...{ fileName, bytes, sha256, encrypted, events: trailer.events, madeAt: header.createdAt },
      ...{ position: String(position ?? 0), seq, chainHash },
    };
  } catch (error) {
    await rm(path, { force: true });
    throw error instanceof MaintenanceError ? asRefusal(error) : error;
  }
}

/** Stores the body of a request in a file; returns its SHA-256 in hexadecimal. */
async function store(path: string, request: IncomingMessage, requireSpace: () => Promise<void>): Promise<string> {
  await requireSpace();
  const file = await open(path, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      if (Math.floor((bytes + chunk.length) / CHECK_SPACE_EVERY) > Math.floor(bytes / CHECK_SPACE_EVERY))
        await requireSpace();
      await file.appendFile(chunk);
      hash.update(chunk);
      bytes += chunk.length;
    }
    if (!request.complete) throw new Refusal('INVALID', 'The upload ended early');
    await file.sync();
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}

function asRefusal({ code, message }: MaintenanceError): Refusal {
  switch (code) {
    case 'BACKUP_DAMAGED':
    case 'WRONG_PASSPHRASE':
    case 'NEWER_FORMAT':
    case 'DISK_SPACE':
      return new Refusal(code, message);
    case 'UNKNOWN_KEY':
      return new Refusal(
        'BACKUP_DAMAGED',
        `${message} To restore the backup of another installation, use npm run restore with --key.`,
      );
    default:
      return new Refusal('UNAVAILABLE', message, undefined, 5);
  }
}
