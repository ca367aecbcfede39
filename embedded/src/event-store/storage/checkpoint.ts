/** Remembers how far the log was acknowledged, so that damage can be told from a write that never finished. */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncDirectory } from './disk.ts';

/**
 * Written after every group without a sync of its own: it outlives the process, and after a power cut it may lie
 * behind, which only makes more of the tail count as unfinished. Twelve bytes within one sector are never torn.
 */
export class Checkpoint {
  /** The position before which everything was acknowledged as durable; `undefined` when that is not known. */
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

  /** Synced for a new one, so that from then on there is always a sound one, and for one that goes back. */
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
