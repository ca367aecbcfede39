/**
 * The ledger is a file in the folder of the backups. It lists the purged streams, so that a restore recognises an older
 * backup that still contains them.
 */
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PurgedStream } from '@rdm/contracts';

export const LEDGER = 'ledger.ndjson';

export interface LedgerLine {
  purgeId: number;
  at: string;
  streams: string[];
}

/** Appends the line of a purge, unless the ledger contains this line. */
export async function writeLedger(folder: string, purgeId: number, streams: readonly PurgedStream[]): Promise<void> {
  const lines = await readLedger(folder);
  if (lines.some((line) => line.purgeId === purgeId)) return;
  const line: LedgerLine = { purgeId, at: new Date().toISOString(), streams: streams.map(({ stream }) => stream) };
  const file = await open(join(folder, LEDGER), 'a', 0o600);
  try {
    // Begin with a line break, because a crash may have left the previous line incomplete.
    await file.write(`\n${JSON.stringify(line)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Returns the complete lines of the ledger. */
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
      return []; // A crash cut this line off. When its purge continues, it writes the whole line.
    }
  });
}
