/**
 * Verifies the audit log: compares each row with its event, or with the manifest entry of a purged event, and checks
 * the chain.
 */
import {
  type ChainVerification,
  describeVerification,
  FORMER_USER,
  missingEventReason,
  newerThanHeadNote,
  scavengeDueNote,
  type VerifiedPurge,
} from '@rdm/contracts';
import { PurgedEvents, type PurgeManifest } from '@rdm/platform';
import { type AuditRow, difference, differenceFromEntry, expectedRow, GENESIS } from './audit-chain.ts';
import { isStored, type ReadStore, StoredLog } from './stored-log.ts';

/** A head of the chain that was exported earlier. The chain must contain this head. */
export interface ExportedHead {
  seq: number;
  chainHash: string;
}

export interface VerificationOptions {
  store: ReadStore;
  /** All stored rows in batches, ordered by seq. */
  rows: AsyncIterable<readonly AuditRow[]>;
  exported?: ExportedHead | undefined;
  /** Reads names of users by id, for the texts about purges. */
  readUsernames: (ids: readonly number[]) => Promise<ReadonlyMap<number, string>>;
}

type ChainResult = Pick<ChainVerification, 'verified' | 'head' | 'brokenAt' | 'purged'>;

export async function verifyChain(options: VerificationOptions): Promise<ChainVerification> {
  const purged = new PurgedEvents(options.store);
  const invalid: InvalidPurge[] = [];
  await purged.load(({ message }, { firstSeq }) => {
    invalid.push({ seq: firstSeq, reason: message });
  });
  const log = new StoredLog(options.store, purged);
  const result = await verifyRows(options, log, invalid);
  const purges = await toVerifiedPurges(purged.manifests, options.readUsernames);
  const notes = result.brokenAt === null && log.purgedStored > 0 ? [scavengeDueNote(log.purgedStored)] : [];
  const { exported } = options;
  if (exported) {
    const newer = purged.manifests.filter(({ purgeId }) => (log.registeredSeqs.get(purgeId) ?? 0) > exported.seq);
    notes.push(...newer.map(({ purgeId }) => newerThanHeadNote(purgeId)));
  }
  const intact = result.brokenAt === null;
  return { intact, ...result, purges, notes, summary: describeVerification({ ...result, purges }) };
}

/** A purge with an invalid manifest. `seq` is the seq of the first event of the manifest. */
type InvalidPurge = NonNullable<ChainVerification['brokenAt']>;

async function verifyRows(
  { store, rows, exported }: VerificationOptions,
  log: StoredLog,
  invalid: readonly InvalidPurge[],
): Promise<ChainResult> {
  let purged = 0;
  let head: ChainResult['head'] = null;
  const broken = (seq: number, reason: string): ChainResult => ({
    ...{ verified: head?.seq ?? 0, head, purged },
    brokenAt: { seq, reason },
  });
  let isExportedFound = exported === undefined;
  try {
    for await (const batch of rows) {
      for (const row of batch) {
        const seq: number = (head?.seq ?? 0) + 1;
        const previous: string = head?.chainHash ?? GENESIS;
        if (row.seq !== seq) return broken(seq, `The row ${seq} is missing`);
        const invalidPurge = invalid.find((purge) => purge.seq === seq);
        if (invalidPurge) return broken(seq, invalidPurge.reason);
        const entry = await log.purgedEntry(seq);
        if (entry) {
          const reason = differenceFromEntry(row, entry, previous);
          if (reason !== null) return broken(seq, reason);
          purged += 1;
        } else {
          const event = await log.next(seq);
          if (
            event === undefined ||
            row.purgeId !== null ||
            (event.id !== row.eventId && !(await isStored(store, row)))
          ) {
            return broken(seq, missingEventReason(seq));
          }
          const reason = difference(row, expectedRow(event, seq, previous));
          if (reason !== null) return broken(seq, reason);
        }
        head = { seq, chainHash: row.chainHash };
        if (exported?.seq === seq) {
          if (exported.chainHash !== row.chainHash) return broken(seq, 'The exported head has another chain hash');
          isExportedFound = true;
        }
      }
    }
    const verified = head?.seq ?? 0;
    // All rows are correct: report an invalid manifest that begins after the last row.
    const [invalidPurge] = invalid;
    if (invalidPurge) return broken(verified + 1, invalidPurge.reason);
    if (!isExportedFound) return broken(verified + 1, `The log ends before the exported head ${exported?.seq}`);
    return { verified, head, brokenAt: null, purged };
  } finally {
    await log.close();
  }
}

async function toVerifiedPurges(
  manifests: readonly PurgeManifest[],
  readUsernames: VerificationOptions['readUsernames'],
): Promise<VerifiedPurge[]> {
  const ids = manifests.flatMap(({ requestedBy, confirmedBy }) => [requestedBy, confirmedBy]);
  const names =
    manifests.length === 0 ? new Map<number, string>() : await readUsernames(ids.filter((id) => id !== null));
  const nameOf = (id: number | null) => (id === null ? null : (names.get(id) ?? FORMER_USER));
  return manifests.map(({ purgeId, events, sealedAt, requestedBy, confirmedBy, reason }) => ({
    ...{ purgeId, events, at: sealedAt, reason },
    ...{ requestedBy: nameOf(requestedBy), confirmedBy: nameOf(confirmedBy) },
  }));
}
