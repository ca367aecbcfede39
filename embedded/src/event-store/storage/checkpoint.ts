/** Stores the acknowledged position of the log, to distinguish damage from an unfinished write. */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncDirectory } from './disk.ts';

/**
 * Written after every group without a sync of its own: it survives the process, and after a power cut it may be behind, which
 * only makes more of the tail count as unfinished. Twelve bytes within one sector are never torn.
 */
export class Checkpoint {
  /** The position up to which everything was acknowledged as durable; `undefined` if it is not known. */
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

  /** Synced for a new file, so that a valid one always exists from then on, and for a lower position. */
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
