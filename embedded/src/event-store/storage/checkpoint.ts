/**
 * Stores the position up to which all appends are acknowledged. An incomplete record before this position is damage; an
 * incomplete record after it is an unfinished write.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncDirectory } from './disk.ts';

/**
 * The log writes the checkpoint after every group of appends, without a sync. A crash of the process loses nothing.
 * After a power cut, the stored position may be too low: an incomplete acknowledged record then counts as an unfinished
 * write. Each write is atomic, because the twelve bytes are within one sector.
 */
export class Checkpoint {
  /** The position that the file contained when it was opened; undefined if the file was missing or damaged. */
  readonly initialPosition: number | undefined;
  readonly #directory: string;
  readonly #file: number;
  readonly #bytes = Buffer.alloc(12);

  constructor(directory: string) {
    this.#directory = directory;
    const path = join(directory, 'checkpoint');
    this.#file = openSync(path, existsSync(path) ? 'r+' : 'w+', 0o600);
    this.initialPosition = parse(readFileSync(path));
  }

  /** Writes a position. Use `sync` for a new file and for a position that is lower than the stored position. */
  write(position: number, sync?: 'sync'): void {
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
