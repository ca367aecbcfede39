/** The tables of notifications and of the users who started jobs, with their reads and writes. */
import {
  NOTIFICATION_IDS_MAX,
  NOTIFICATIONS_KEPT,
  type NotificationKind,
  type NotificationReason,
} from '@rdm/contracts';
import type { Row } from '../../tables/folded-table.ts';
import { cleanJson, type TableOf, unnestOf, type WriteContext } from '../../tables/rows.ts';

export interface NotificationRow extends Row {
  /** The notified user; 0 for the approvers of data set `review_of`. If both are 0, all administrators are notified. */
  user_id: number;
  /** The data set whose approvers are notified; 0 if a user or all administrators are notified. */
  review_of: number;
  reason: NotificationReason;
  command_id: string;
  kind: NotificationKind;
  parent_id: number;
  /** The event that created the notification. */
  seq: number;
  /** Numbers the notifications that one event created. */
  part: number;
  /** Ids of the first affected rows, or of the affected definition; empty if the event is not about a review. */
  ids: number[];
  count: number;
  /** For the reason REVIEW: the number of the notification's rows that are still pending. Otherwise 0. */
  waiting: number;
  of_deletion: boolean;
  actor_id: number | null;
  comment: string | null;
  at: string;
  data_set_ids: number[];
}

const KEY = ['command_id', 'reason', 'kind', 'parent_id', 'user_id'] as const;

export const notificationRows: TableOf<NotificationRow> = {
  name: 'notifications',
  columns: {
    user_id: 'bigint',
    review_of: 'bigint',
    reason: 'text',
    command_id: 'text',
    kind: 'text',
    parent_id: 'bigint',
    seq: 'bigint',
    part: 'integer',
    ids: 'bigint[]',
    count: 'integer',
    waiting: 'integer',
    of_deletion: 'boolean',
    actor_id: 'bigint',
    comment: 'text',
    at: 'timestamptz',
    data_set_ids: 'bigint[]',
    valid_from: 'bigint',
  },
  key: KEY,
  lookups: ['(user_id, review_of, seq, part)'],
  // For queries of the notifications that changed since a seq.
  indexes: ['(valid_from)'],
};

/** The user who started a job and is notified of its outcome. */
export interface JobStarter {
  job_id: number;
  user_id: number;
  data_set_ids: number[];
}

export const jobStarters: TableOf<JobStarter> = {
  name: 'job_starters',
  columns: { job_id: 'bigint', user_id: 'bigint', data_set_ids: 'bigint[]' },
  key: ['job_id'],
};

export type NotificationKey = Pick<NotificationRow, (typeof KEY)[number]>;
/** Identifies a notification in a map. */
export const keyText = (row: NotificationKey): string => KEY.map((column) => row[column]).join(' ');

export async function readStarters(
  { client, schema }: WriteContext,
  jobIds: readonly number[],
): Promise<Map<number, JobStarter>> {
  const { rows } = await client.query<{ rows: JobStarter[] }>(
    `SELECT coalesce(json_agg(t), '[]') AS rows FROM ${schema}.${jobStarters.name} t WHERE job_id = ANY($1::bigint[])`,
    [jobIds],
  );
  return new Map((rows[0]?.rows ?? []).map((row) => [row.job_id, row]));
}

/** Inserts notifications. Adds the ids and counts to a notification that the command created already. */
export async function upsertNotifications(
  { client, schema }: WriteContext,
  rows: readonly NotificationRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const table = `${schema}.${notificationRows.name}`;
  await client.query({
    name: `put ${table}`,
    text: `INSERT INTO ${table} AS n SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb)
           ON CONFLICT (${KEY.join(', ')}) DO UPDATE SET ids = (n.ids || excluded.ids)[1:${NOTIFICATION_IDS_MAX}],
             count = n.count + excluded.count, waiting = n.waiting + excluded.waiting, valid_from = excluded.valid_from`,
    values: [cleanJson(rows)],
  });
}

/** Adds `waiting`, a positive or negative number, to the numbers of pending rows of stored notifications. */
export async function updateWaiting(
  { client, schema }: WriteContext,
  changes: readonly (NotificationKey & { waiting: number; valid_from: number })[],
): Promise<void> {
  if (changes.length === 0) return;
  const table = `${schema}.${notificationRows.name}`;
  const { from, values } = unnestOf(
    [...KEY, 'waiting' as const, 'valid_from' as const].map(
      (name) => [name, notificationRows.columns[name], changes.map((change) => change[name])] as const,
    ),
  );
  await client.query({
    name: `settle ${table}`,
    text: `UPDATE ${table} n SET waiting = n.waiting + k.waiting, valid_from = k.valid_from
             FROM ${from} WHERE ${KEY.map((column) => `n.${column} = k.${column}`).join(' AND ')}`,
    values,
  });
}

/** Deletes all but the newest `NOTIFICATIONS_KEPT` notifications of each recipient in `created`. */
export async function deleteOldest(
  { client, schema }: WriteContext,
  created: readonly NotificationRow[],
): Promise<void> {
  const inboxes = new Map(created.map((row) => [`${row.user_id} ${row.review_of}`, row]));
  if (inboxes.size === 0) return;
  const table = `${schema}.${notificationRows.name}`;
  const { from, values } = unnestOf(
    (['user_id', 'review_of'] as const).map(
      (name) => [name, 'bigint', [...inboxes.values()].map((row) => row[name])] as const,
    ),
  );
  await client.query({
    name: `forget ${table}`,
    // The newest notification to delete is found once per recipient, not once per row.
    text: `WITH oldest AS MATERIALIZED (
             SELECT k.user_id, k.review_of, l.seq, l.part FROM ${from},
                    LATERAL (SELECT seq, part FROM ${table} WHERE user_id = k.user_id AND review_of = k.review_of
                              ORDER BY seq DESC, part DESC OFFSET ${NOTIFICATIONS_KEPT} LIMIT 1) l)
           DELETE FROM ${table} n USING oldest o
            WHERE n.user_id = o.user_id AND n.review_of = o.review_of AND (n.seq, n.part) <= (o.seq, o.part)`,
    values,
  });
}
