/**
 * Tests sending edits: one request at a time, merges and conflicts with the changes of other users, and retries of lost
 * requests.
 */
import { describe, expect, it } from 'vitest';
import type { InstanceOutcome } from '../../api/instances.ts';
import { Edits, type ReadRow, type SentRows } from './edits.ts';
import { createSaver } from './saver.ts';

const ROW: ReadRow = { id: 64, key: '007', revision: 1, data: { name: 'Bond', level: 7 } };

/**
 * Simulates a server with one row. Sends edits when they change, as on the page. The first `lag` reads return the old
 * row.
 */
function setUp(stored: ReadRow, lag = 0) {
  const edits = new Edits();
  const sent: SentRows[] = [];
  let reads = 0;
  let openRequests = 0;
  let maxOpenRequests = 0;
  const pauses: number[] = [];
  const server = { failure: undefined as string | undefined };
  let retry = () => {};
  const save = createSaver(edits, {
    async send(batch): Promise<InstanceOutcome[]> {
      openRequests += 1;
      maxOpenRequests = Math.max(maxOpenRequests, openRequests);
      sent.push(batch);
      await Promise.resolve();
      openRequests -= 1;
      if (server.failure !== undefined) throw new Error(server.failure);
      return batch.map(({ id, revision, data }) => {
        if (revision !== stored.revision) return { id, outcome: 'refused', code: 'STALE', revision: stored.revision };
        stored.data = { ...stored.data, ...data };
        stored.revision += 1;
        return { id, outcome: 'done', revision: stored.revision };
      });
    },
    readCurrent: async () => (reads++ < lag ? ROW : { ...stored, data: { ...stored.data } }),
    reasonOf: (error) => (error as Error).message,
    onSaved: () => undefined,
    mayRetry: (error) => (error as Error).message === 'away',
    runLater: (ms, then) => {
      pauses.push(ms);
      retry = then;
    },
    pause: async () => undefined,
  });
  edits.subscribe(() => void save());
  return { edits, save, sent, stored, server, pauses, retryNow: () => retry(), maxOpenRequests: () => maxOpenRequests };
}

describe('saving', () => {
  it('sends edits made during a request with the next request', async () => {
    const { edits, save, sent, stored, maxOpenRequests } = setUp({ ...ROW });
    edits.edit({ row: ROW, cells: { name: 'J' } });
    await Promise.resolve();
    edits.edit({ row: ROW, cells: { name: 'James' } });
    edits.edit({ row: ROW, cells: { level: 8 } });
    await save();
    expect(stored.data).toEqual({ name: 'James', level: 8 });
    expect(sent.length).toBeLessThanOrEqual(3);
    expect(maxOpenRequests()).toBe(1);
  });

  it('does not overwrite another user’s change to the same cell until the user chooses a value', async () => {
    const { edits, save, stored, sent } = setUp({ ...ROW, revision: 2, data: { name: 'Theirs', level: 7 } }, 3);
    edits.edit({ row: ROW, cells: { name: 'Mine' } });
    await save();
    expect(stored.data['name']).toBe('Theirs');
    expect(edits.rowEdit(64)?.conflict?.overlaps).toEqual([
      { field: 'name', base: 'Bond', mine: 'Mine', theirs: 'Theirs' },
    ]);
    expect(sent).toHaveLength(1);
    edits.resolve(64, new Set(['name']));
    await save();
    expect(stored.data['name']).toBe('Mine');
  });

  it('merges another user’s changes to other cells, and sends the edit again', async () => {
    const { edits, save, stored, sent } = setUp({ ...ROW, revision: 2, data: { name: 'Bond', level: 9 } }, 3);
    edits.edit({ row: ROW, cells: { name: 'Mine' } });
    await save();
    expect(stored.data).toEqual({ name: 'Mine', level: 9 });
    expect(sent).toHaveLength(2);
  });

  it('retries lost requests with increasing delays until the server responds', async () => {
    const { edits, save, stored, server, pauses, retryNow } = setUp({ ...ROW });
    server.failure = 'away';
    edits.edit({ row: ROW, cells: { name: 'James' } });
    await save();
    expect(edits.mark(64, 'name')).toEqual({ mark: 'failed', note: 'away' });
    for (let time = 0; time < 3; time++) {
      retryNow();
      await save();
    }
    expect(pauses).toEqual([5_000, 10_000, 20_000, 30_000]);
    server.failure = undefined;
    retryNow();
    await save();
    expect(stored.data['name']).toBe('James');
    server.failure = 'away';
    edits.edit({ row: { ...ROW, revision: 2 }, cells: { level: 8 } });
    await save();
    expect(pauses).toHaveLength(5);
    expect(pauses[4]).toBe(5_000);
  });

  it('retries lost requests as soon as the server responds to a request for another row', async () => {
    const { edits, save, server, sent } = setUp({ ...ROW });
    server.failure = 'away';
    edits.edit({ row: { ...ROW, id: 65 }, cells: { name: 'Moneypenny' } });
    await save();
    server.failure = undefined;
    edits.edit({ row: ROW, cells: { name: 'James' } });
    await save();
    await save();
    expect(sent.map((batch) => batch.map(({ id }) => id))).toEqual([[65], [64], [65]]);
  });

  it('does not retry edits that the server refused', async () => {
    const { edits, save, server, pauses, sent } = setUp({ ...ROW });
    server.failure = 'refused';
    edits.edit({ row: ROW, cells: { name: 'James' } });
    await save();
    expect(pauses).toEqual([]);
    expect(sent).toHaveLength(1);
  });
});
