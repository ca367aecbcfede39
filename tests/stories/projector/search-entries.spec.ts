/** The search entries for rows of small data sets change when the rows change. */
import { projections } from '@rdm/projector';
import { fillSearchEntries } from '@rdm/projector/tables/search-entries';
import { describe, expect, it } from 'vitest';
import { checksumsOf, eventually, schemaOf } from './environment.ts';
import { ENTRIES, entriesIn, project, rowsEvent, useSearchedRows } from './searched-rows.ts';

useSearchedRows();

describe('search entries', () => {
  it('contain normalised keys and labels, and follow changes of rows', async () => {
    const { pool, append } = await project();
    expect(await entriesIn(pool)).toEqual(ENTRIES);
    append(
      rowsEvent({
        type: 'InstancesChanged',
        data: { schemaRevision: 1, rows: [{ id: 128, values: { 12: 'Ålesund' } }] },
      }),
      rowsEvent({ type: 'InstancesRemoved', data: { ids: [64, 192] } }),
    );
    await eventually(async () => expect(await entriesIn(pool)).toEqual([[128, 'a1', 'alesund', 5]]));
    append(rowsEvent({ type: 'InstancesRestored', data: { ids: [192] } }));
    await eventually(async () =>
      expect(await entriesIn(pool)).toEqual([
        [128, 'a1', 'alesund', 5],
        [192, 'gva', 'geneve', 4],
      ]),
    );
  });

  it('are the same after a second fill and after a rebuild', async () => {
    const { pool, projector } = await project();
    const schema = await schemaOf(pool, 'instances');
    const serving = Object.fromEntries(
      await Promise.all(projections.map(async ({ name }) => [name, await schemaOf(pool, name)] as const)),
    );
    const before = await checksumsOf(pool);
    await pool.query(`DELETE FROM ${schema}.search_sets`);
    await fillSearchEntries(pool, serving, schema);
    await fillSearchEntries(pool, serving, schema);
    expect(await entriesIn(pool)).toEqual(ENTRIES);

    const instances = projections.filter(({ name }) => name === 'instances');
    await projector.rebuilder?.rebuild(...instances);
    await eventually(async () => expect(await schemaOf(pool, 'instances')).not.toBe(schema));
    // A new build contains its entries before it serves.
    expect(await entriesIn(pool)).toEqual(ENTRIES);
    expect(await checksumsOf(pool)).toEqual(before);
  });
});
