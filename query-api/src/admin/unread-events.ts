/**
 * Counts the events that the projector has not read yet, for example because a lock stops the projector. These events
 * have no seq yet, so the read models cannot count them.
 */
import { UNREAD_MAX } from '@rdm/contracts';
import type { LogPosition } from '@rdm/platform';
import type { QueryContext } from '../query-context.ts';
import { withinTimeout } from './within-timeout.ts';

export interface LogEnd {
  /** The seq that the last event of the log has or will get; too low if `unread` is null or has its maximum. */
  seq: number;
  /** At most `UNREAD_MAX`; null if the event store does not answer. */
  unread: number | null;
}

export async function readLogEnd({ pool, store }: Pick<QueryContext, 'pool' | 'store'>): Promise<LogEnd> {
  const { rows } = await pool.query<{ seq: number; commit: string; prepare: string }>(
    'SELECT seq, commit_position AS commit, prepare_position AS prepare FROM platform.reader',
  );
  const { seq = 0, commit = '0', prepare = '0' } = rows[0] ?? {};
  const after = commit === '0' ? null : { commit: BigInt(commit), prepare: BigInt(prepare) };
  const unread = (await withinTimeout(countAfter(store, after))) ?? null;
  return { seq: Number(seq) + (unread ?? 0), unread };
}

async function countAfter(store: Pick<QueryContext['store'], 'readAll'>, after: LogPosition | null): Promise<number> {
  let count = 0;
  for await (const _ of store.readAll(after)) {
    count += 1;
    if (count === UNREAD_MAX) break;
  }
  return count;
}
