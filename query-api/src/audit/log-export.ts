/**
 * Exports the whole log for the offline verifier: a line for each event, then a line for the head. The line of a stored
 * event has the digest of the audit log; the line of a purged event is its manifest entry.
 */
import { Refusal } from '@rdm/contracts';
import { PurgedEvents } from '@rdm/platform';
import type { Format } from '../http/download.ts';
import type { QueryContext } from '../query-context.ts';
import type { ReadRequest, StreamBatch } from '../read-models/read-models.ts';
import { sql } from '../read-models/sql.ts';
import type { AuditRow } from './audit-chain.ts';
import { NDJSON } from './ndjson.ts';
import { isStored, StoredLog } from './stored-log.ts';

export const LOG_FORMAT: Format<object> = { ...NDJSON, contentType: 'application/gzip', extension: 'ndjson.gz' };

/** Refuses filters: a file that lacks entries proves nothing. */
export function requireWhole({ q, filter, kind }: { q?: unknown; filter?: unknown; kind?: unknown }): void {
  if ([q, filter, kind].some((each) => each !== undefined)) {
    throw new Refusal('INVALID', 'The format "log" contains the whole log: leave out q, filter and kind');
  }
}

type ExportedRow = Pick<
  AuditRow,
  'seq' | 'purgeId' | 'eventId' | 'stream' | 'streamRevision' | 'digest' | 'chainHash' | 'at'
>;

/** A missing event that no purge names has no line, so that the verifier finds the gap. */
export async function* readLogExport(
  { readModels, store, pool }: Pick<QueryContext, 'readModels' | 'store' | 'pool'>,
  readRequest: ReadRequest,
): AsyncGenerator<StreamBatch<object>> {
  const batches = readModels.stream<ExportedRow>(
    readRequest,
    (
      tables,
    ) => sql`SELECT seq, purge_id AS "purgeId", event_id AS "eventId", stream, stream_revision AS "streamRevision",
      digest, chain_hash AS "chainHash", at FROM ${tables('audit_logs')} ORDER BY seq`,
  );
  const purged = new PurgedEvents(store);
  // Do not fail at an invalid manifest: its entries are left out, and the verifier finds the gap.
  await purged.load(() => undefined);
  const log = new StoredLog(store, purged);
  let last: ExportedRow | undefined;
  let lastBatch: Omit<StreamBatch<object>, 'rows'> | undefined;
  try {
    for await (const { rows, ...batch } of batches) {
      const lines: object[] = [];
      for (const row of rows) lines.push(...(await linesOf(row)));
      last = rows.at(-1) ?? last;
      lastBatch = batch;
      yield { ...batch, rows: lines };
    }
  } finally {
    await log.close();
  }
  if (lastBatch === undefined) return;
  const { rows } = await pool.query<{ logId: string }>('SELECT log_id AS "logId" FROM platform.reader');
  const head = last && { logId: rows[0]?.logId, seq: last.seq, chainHash: last.chainHash, at: last.at };
  yield { ...lastBatch, rows: [{ head: head ?? null }] };

  async function linesOf(row: ExportedRow): Promise<object[]> {
    const { seq, digest } = row;
    const entry = await log.purgedEntry(seq);
    if (entry) return [entry];
    const event = await log.peek(seq);
    if (event === undefined) return [];
    // If the event of this row is missing, the next event of the store belongs to a later row.
    if (event.id !== row.eventId && !(await isStored(store, row))) return [];
    log.skip();
    const { stream, revision, id, type, metadata } = event;
    return [{ ...{ seq, stream, revision, id, type, metadata, digest }, data: event.stored ?? event.data }];
  }
}
