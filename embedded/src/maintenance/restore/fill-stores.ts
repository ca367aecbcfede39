/** Fills new stores with the tables and the log of a backup, unchanged. */
import type { Pool } from '@rdm/platform';
import { Chain } from '../chain.ts';
import { damaged } from '../errors.ts';
import { type BackupPart, TRAILER } from '../format/entries.ts';
import { readBackup } from '../format/reader.ts';
import { entryOf } from '../purged-records.ts';
import type { VerifiedBackup } from '../verify-file.ts';
import { commandsWithoutAnswer } from './corrections.ts';
import { LogFindings } from './log-findings.ts';
import { fillDatabase } from './new-database.ts';
import type { NewLog } from './new-log.ts';

export interface NewStores {
  url: string;
  pool: Pool;
  log: NewLog;
  /** Called with the signing key, if the backup contains it. */
  onKey: (pem: string) => void;
}

export interface FillOptions {
  file: string;
  passphrase?: string | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: { done: number; total: number }) => void) | undefined;
}

/** The facts about the backup that the corrections of the tables need. */
export interface FillResult {
  /** The result of `commandsWithoutAnswer`. */
  unanswered: ReadonlySet<string>;
  findings: LogFindings;
}

/** Fills the stores. Rejects with BACKUP_DAMAGED if the written log has another hash chain than the backup. */
export async function fillStores(
  { file, passphrase, signal, onProgress }: FillOptions,
  { url, pool, log, onKey }: NewStores,
  { header, trailer, bytes: total }: VerifiedBackup,
): Promise<FillResult> {
  let done = 0;
  const onBytes = (piece: Buffer) => {
    done += piece.length;
    onProgress?.({ done: Math.min(done, total), total });
  };
  const parts = readBackup(file, { passphrase, signal, onBytes });
  await fillDatabase(url, pool, parts, onKey);
  const unanswered = await commandsWithoutAnswer(pool, header.cut.position);
  const findings = new LogFindings(unanswered);
  const chainHash = await copyRecords(parts, log, findings);
  if (chainHash !== trailer.cut.chainHash) {
    throw damaged(TRAILER, 'the restored log has another hash chain: the file changed meanwhile');
  }
  return { unanswered, findings };
}

/** Writes the records of all events that are not purged; returns the last chain hash, which includes purged events. */
async function copyRecords(parts: AsyncIterable<BackupPart>, log: NewLog, findings: LogFindings): Promise<string> {
  const chain = new Chain();
  for await (const part of parts) {
    if (part.kind !== 'records') continue;
    await log.write(part.records.filter((record) => entryOf(record) === undefined));
    for (const record of part.records) {
      const event = chain.add(record);
      if (event) findings.add(event);
    }
  }
  return chain.hash;
}
