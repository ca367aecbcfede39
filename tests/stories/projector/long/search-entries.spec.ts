/**
 * The entries by which rows of small data sets are searched change with the label field and with the deletion of their data
 * set.
 */
import { streams } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import { eventually } from '../environment.ts';
import { ENTRIES, entriesIn, newEvent, ofDataSet, project, useSearchedRows } from '../searched-rows.ts';

useSearchedRows();

describe('search entries', () => {
  it('contain the new label after the label field changes, also when the type changes the choice', async () => {
    const { pool, append } = await project();
    append(ofDataSet({ type: 'DataSetDetailsChanged', data: { labelFieldId: 13 } }));
    await eventually(async () =>
      expect(await entriesIn(pool)).toEqual([
        [64, 'zrh', 'kloten', 4],
        [128, 'a1', 'empty', 3],
        [192, 'gva', 'cointrin', 6],
      ]),
    );
    append(newEvent(streams.referenceType(1), { type: 'FieldRetired', data: { fieldId: 13 } }));
    await eventually(async () => expect(await entriesIn(pool)).toEqual(ENTRIES));
  });

  it('are removed with their data set', async () => {
    const { pool, append } = await project();
    append(ofDataSet({ type: 'DataSetDeleted', data: {} }));
    await eventually(async () => expect(await entriesIn(pool)).toEqual([]));
  });
});
