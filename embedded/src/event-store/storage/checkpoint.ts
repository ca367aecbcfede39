/**
 * Stores the position up to which the log is acknowledged: an incomplete record before it is damage, after it an unfinished
 * write.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncDirectory } from './disk.ts';

/**
 * The checkpoint is written after every group, without a sync. It survives the end of the process. After a power cut it may be
 * too low: then more of the end of the log counts as unfinished. Twelve bytes within one sector are always written as a whole.
 */
export class Checkpoint {
  /** The stored position when the file was opened, up to which all events are acknowledged; undefined if it is not known. */
  readonly found: number | undefined;
  readonly #directory: string;
  readonly #file: number;
  readonly #bytes = Buffer.alloc(12);

  constructor(directory: string) {
    this.#directory = directory;
    const path = join(directory, 'checkpoint');
    this.#file = openSync(path, existsSync(path) ? 'r+' : 'w+', 0o600);
    this.found = parse(readFileSync(path));
  }

  /** Writes a position. Use `sync` for a new file, so that a valid one exists from then on, and for a lower position. */
  advance(position: number, sync?: 'sync'): void {
    this.#bytes.writeBigUInt64LE(BigInt(position), 0);
    this.#bytes.writeUInt32LE(crc32(this.#bytes.subarray(0, 8)), 8);
    writeSync(this.#file, this.#bytes, 0, this.#bytes.length, 0);
    if (sync === undefined) return;
    fsyncSync(this.#file);
    syncDirectory(this.#directory);
  }

  close(): void {
    closeSync(this.#file);
  }
}

function parse(bytes: Buffer): number | undefined {
  if (bytes.length !== 12 || bytes.readUInt32LE(8) !== crc32(bytes.subarray(0, 8))) return undefined;
  return Number(bytes.readBigUInt64LE(0));
}
