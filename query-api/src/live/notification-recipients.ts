/** Reads the recipients of notifications about a batch of changes, and checks their current rights. */
import { type AccessState, hasLevel, type LiveEntity, levelOnDataSet } from '@rdm/contracts';
import type { GoverningDataSet } from '../access/governing-data-sets.ts';
import type { ReadModels } from '../read-models/read-models.ts';
import { sql } from '../read-models/sql.ts';
import type { GovernedChange } from './live-changes.ts';

export interface NotificationRecipient {
  /** 0 for all approvers of the source data set. */
  userId: number;
  actorId: number | null;
  /** The data sets that govern the entity, the source first. */
  dataSets: readonly GoverningDataSet[];
}

/** Entities whose changes can create notifications. */
const NOTIFYING_ENTITIES: ReadonlySet<LiveEntity> = new Set<LiveEntity>([
  'crosswalk',
  'mapping',
  'relationship',
  'relationship-value',
  'job',
  'collection',
]);

/** Reads the recipients of the notifications that a batch of changes created or updated. */
export async function readRecipients(
  readModels: ReadModels,
  batch: readonly GovernedChange[],
): Promise<NotificationRecipient[]> {
  const governing = new Map(
    batch
      .filter(({ change }) => NOTIFYING_ENTITIES.has(change.entity))
      .map(({ change, dataSets }) => [change.seq, dataSets]),
  );
  const seqs = [...governing.keys()];
  if (seqs.length === 0) return [];
  const { rows } = await readModels.read<Omit<NotificationRecipient, 'dataSets'> & { seq: number }>(
    {},
    (tables) => sql`SELECT DISTINCT n.user_id AS "userId", n.actor_id AS "actorId", n.valid_from AS seq
      FROM ${tables('notifications')} n WHERE n.valid_from = ANY(${seqs}::bigint[])`,
  );
  return rows.map(({ seq, ...row }) => ({ ...row, dataSets: governing.get(seq) ?? [] }));
}

/** Whether the user is active, is a recipient of the notification, and has the necessary grants now. */
export function canReceive(
  access: AccessState,
  userId: number,
  { userId: recipientId, actorId, dataSets }: NotificationRecipient,
): boolean {
  if (access.users.get(userId)?.active !== true) return false;
  if (recipientId !== 0 && recipientId !== userId) return false;
  const [source] = dataSets;
  const mayRead = dataSets.every((dataSet) => levelOnDataSet(access, userId, dataSet) !== null);
  if (recipientId !== 0) return mayRead;
  return (
    mayRead &&
    actorId !== userId &&
    source !== undefined &&
    hasLevel(levelOnDataSet(access, userId, source), 'APPROVER')
  );
}
