/**
 * Sixty-four editors change the same rows at once. No edit may be lost, and an edit may be refused only if the row has
 * changed. FAULTS=long runs for a minute.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { announcedSeed, random } from '../../../conformance/seed.ts';
import { type Answer, HttpClient } from '../../../stories/http-client.ts';
import { LONG, PASSWORD, stack } from '../../killed-jobs/stack.ts';

const EDITORS = 64;
/** Number of sessions that the editors share, because a sign-in costs more than several edits. */
const SESSIONS = LONG ? EDITORS : 8;
const ROWS = LONG ? 1_000 : 100;
/** Maximum number of rows of one edit: users edit a cell, or paste a few rows. */
const ROWS_PER_EDIT_MAX = 4;
/** Number of edits in the short form; the long form has no limit. */
const EDITS = 200;

const requireStatus = (answer: Answer, status: number) => {
  if (answer.status !== status) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
};

async function signInEditor(): Promise<HttpClient> {
  const person = new HttpClient(stack.baseUrl);
  requireStatus(await person.signIn('admin', PASSWORD), 200);
  return person;
}

describe('concurrent edits', () => {
  it('are stored in the history, or refused because their row has changed', async () => {
    const next = random(announcedSeed('many editors'));
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, signInEditor));
    const [first] = sessions as [HttpClient];
    const editors = Array.from({ length: EDITORS }, (_, number) => sessions[number % SESSIONS] as HttpClient);
    const schemas = [
      { name: 'code', dataType: 'string', isPrimaryKey: true },
      { name: 'count', dataType: 'number' },
      { name: 'editor', dataType: 'number' },
    ];
    const type = requireStatus(
      await first.post('/api/reference-types', { name: `Edited ${randomUUID()}`, schemas }),
      201,
    );
    const dataSet = requireStatus(await first.post('/api/reference-data', { name: 'Edited', typeId: type.id }), 201);
    const path = `/api/reference-data/${dataSet.id}/instances`;
    const added = requireStatus(
      await first.post(path, {
        rows: Array.from({ length: ROWS }, (_, row) => ({ data: { code: String(row).padStart(4, '0'), count: 0 } })),
      }),
      201,
    );
    const ids: number[] = added.results.map(({ id }: { id: number }) => id);

    /** Row → revision → the editor whose edit created the revision. */
    const editorsByRevision = new Map(ids.map((id) => [id, new Map<number, number>()]));
    let changedCount = 0;
    let refused = 0;
    let edits = 0;
    const deadline = performance.now() + 60_000;
    const hasMoreEdits = () => (LONG ? performance.now() < deadline : edits < EDITS);

    async function edit(person: HttpClient, number: number): Promise<void> {
      /** The rows as this editor last read or changed them. */
      const knownRows = new Map(ids.map((id) => [id, { revision: 1, count: 0 }]));
      while (hasMoreEdits()) {
        edits += 1;
        const rows = new Set(
          Array.from({ length: 1 + Math.floor(next() * ROWS_PER_EDIT_MAX) }, () => Math.floor(next() * ROWS)),
        );
        const change = [...rows].map((row) => {
          const id = ids[row] as number;
          const { revision, count } = knownRows.get(id) as { revision: number; count: number };
          return { id, revision, data: { count: count + 1, editor: number } };
        });
        const { results } = requireStatus(await person.patch(path, change), 200);
        const staleIds: number[] = [];
        for (const outcome of results) {
          const knownRow = knownRows.get(outcome.id) as { revision: number; count: number };
          if (outcome.outcome === 'done') {
            changedCount += 1;
            expect(outcome.revision).toBe(knownRow.revision + 1);
            const editorOf = editorsByRevision.get(outcome.id) as Map<number, number>;
            expect(editorOf.has(outcome.revision), 'one revision, two editors').toBe(false);
            editorOf.set(outcome.revision, number);
            knownRows.set(outcome.id, { revision: outcome.revision, count: knownRow.count + 1 });
          } else {
            refused += 1;
            expect(outcome).toMatchObject({ code: 'STALE' });
            expect(outcome.revision, 'refused although its row had not changed').toBeGreaterThan(knownRow.revision);
            staleIds.push(outcome.id);
          }
        }
        const answers = await Promise.all(staleIds.map((id) => person.get(`${path}/${id}`)));
        for (const { body } of answers) {
          // The read model may be older than the response, so the editor keeps the higher revision.
          if (body.revision > (knownRows.get(body.id)?.revision ?? 0)) {
            knownRows.set(body.id, { revision: body.revision, count: body.data.count });
          }
        }
      }
    }
    await Promise.all(editors.map(edit));

    let versions = 0;
    for (const id of ids) {
      const editorOf = editorsByRevision.get(id) as Map<number, number>;
      const { body: row } = await first.eventually(`${path}/${id}`, ({ body }) => body.revision === editorOf.size + 1);
      expect(row.data.count, `count of row ${id}`).toBe(editorOf.size);
      const { items } = requireStatus(await first.get(`${path}/${id}/history`), 200);
      const history: { revision: number; data: { count: number; editor: number | null } }[] = items.reverse();
      expect(history.map(({ revision }) => revision)).toEqual(history.map((_, index) => index + 1));
      expect(history.map(({ data }) => data.count)).toEqual(history.map((_, index) => index));
      for (const { revision, data } of history.slice(1)) expect(data.editor).toBe(editorOf.get(revision));
      versions += history.length;
    }
    console.log(
      `${EDITORS} editors, ${ROWS} rows: ${edits} edits, ${changedCount} rows changed, ${refused} refused as stale`,
    );
    expect(versions).toBe(changedCount + ROWS);
    expect(changedCount).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
  });
});
