/**
 * Stores when a user first did each step (`act`) of the guided start. The projection of notifications writes this
 * table, because it knows who submitted each decided row and who started each job.
 */
import { type FirstAct, SAMPLE_DATA_CORRELATION_ID } from '@rdm/contracts';
import type { NumberedEvent } from '../../engine/numbered-event.ts';
import { type TableOf, unnestOf, type WriteContext } from '../../tables/rows.ts';

interface FirstActRow {
  user_id: number;
  act: FirstAct;
  at: string;
}

export const firstActs: TableOf<FirstActRow> = {
  name: 'first_acts',
  columns: { user_id: 'bigint', act: 'text', at: 'timestamptz' },
  key: ['user_id', 'act'],
};

/** Collects the first acts of one transaction. Ignores acts of the system and the loading of sample data. */
export class FirstActs {
  readonly #rows = new Map<string, FirstActRow>();

  add(userId: number | null, act: FirstAct, { metadata }: Pick<NumberedEvent, 'metadata'>): void {
    if (userId === null || metadata.$correlationId === SAMPLE_DATA_CORRELATION_ID) return;
    const key = `${userId} ${act}`;
    if (!this.#rows.has(key)) this.#rows.set(key, { user_id: userId, act, at: metadata.occurredAt });
  }

  /** Writes the first acts that are not stored yet. */
  async write({ client, schema }: WriteContext): Promise<void> {
    if (this.#rows.size === 0) return;
    const rows = [...this.#rows.values()];
    const { from, values } = unnestOf(
      (['user_id', 'act', 'at'] as const).map(
        (name) => [name, firstActs.columns[name], rows.map((row) => row[name])] as const,
      ),
    );
    const table = `${schema}.${firstActs.name}`;
    await client.query({
      name: `put ${table}`,
      text: `INSERT INTO ${table} (user_id, act, at) SELECT user_id, act, at FROM ${from} ON CONFLICT DO NOTHING`,
      values,
    });
  }
}
