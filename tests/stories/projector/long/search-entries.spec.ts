/** The search entries for rows of small data sets change with the label field, and are removed with the data set. */
import { streams } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import { eventually } from '../environment.ts';
import { dataSetEvent, ENTRIES, entriesIn, newEvent, project, useSearchedRows } from '../searched-rows.ts';

useSearchedRows();

describe('search entries', () => {
  it('contain the new labels after the label field is changed or retired', async () => {
    const { pool, append } = await project();
    append(dataSetEvent({ type: 'DataSetDetailsChanged', data: { labelFieldId: 13 } }));
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

  it('are removed when their data set is deleted', async () => {
    const { pool, append } = await project();
    append(dataSetEvent({ type: 'DataSetDeleted', data: {} }));
    await eventually(async () => expect(await entriesIn(pool)).toEqual([]));
  });
});
