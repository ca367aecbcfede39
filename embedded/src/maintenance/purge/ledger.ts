/** The ledger beside the backups: which streams were purged, so that a restore of an older backup purges them again. */
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PurgedStream } from '@rdm/contracts';

export const LEDGER = 'ledger.ndjson';

export interface LedgerLine {
  purgeId: number;
  at: string;
  streams: string[];
}

/** Appends a line, once for each purge. */
export async function writeLedger(folder: string, purgeId: number, streams: readonly PurgedStream[]): Promise<void> {
  const lines = await readLedger(folder);
  if (lines.some((line) => line.purgeId === purgeId)) return;
  const line: LedgerLine = { purgeId, at: new Date().toISOString(), streams: streams.map(({ stream }) => stream) };
  const file = await open(join(folder, LEDGER), 'a', 0o600);
  try {
    // The line before may be cut off by a crash.
    await file.write(`\n${JSON.stringify(line)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Lines that are complete. */
export async function readLedger(folder: string): Promise<LedgerLine[]> {
  let text = '';
  try {
    text = await readFile(join(folder, LEDGER), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as LedgerLine];
    } catch {
      return []; // cut off by a crash: its purge writes it again
    }
  });
}
