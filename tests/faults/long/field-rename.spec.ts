/**
 * Renames a field of a data set with a million rows. The rename must take effect immediately and write no row events.
 * Edits of one row are measured for comparison.
 */
import { connectEventStore } from '@rdm/platform';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeOf } from '../../bench/data-sets.ts';
import { type LargeDataSet, openLargeDataSet, PASSWORD } from '../../bench/large-data-set.ts';
import { renameField } from '../../stories/field-rename.ts';
import { done } from '../../stories/fixtures.ts';
import { HttpClient } from '../../stories/http-client.ts';

const ROWS = 1_000_000;
const ROUNDS = 5;

let large: LargeDataSet;
beforeAll(async () => {
  large = await openLargeDataSet(ROWS);
}, 1_800_000);
afterAll(() => large?.stop());

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[ROUNDS >> 1] ?? Number.NaN;

it(`a rename in a data set of ${ROWS} rows is visible at once, and writes no row event`, async () => {
  const { baseUrl, eventStoreUrl, typeId, dataSetId } = large;
  const person = new HttpClient(baseUrl);
  done(await person.signIn('admin', PASSWORD));
  const store = connectEventStore(eventStoreUrl);
  try {
    const path = `/api/reference-data/${dataSetId}/instances`;
    const last = ROWS - 1;
    const row = { key: codeOf(last), value: `Name of ${last}` };
    const names = ['name', 'title'];
    const durations = { renames: [] as number[], edits: [] as number[] };
    const eventCounts: number[][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const [from = '', to = ''] = round % 2 === 0 ? names : names.toReversed();
      const { milliseconds, before, after } = await renameField({
        ...{ person, store, type: typeId, dataSet: dataSetId },
        ...{ from, to, row },
      });
      durations.renames.push(milliseconds);
      eventCounts.push([before, after]);

      const [{ id, revision }] = done(await person.get(`${path}?key=${codeOf(round)}`)).items;
      const startedAt = performance.now();
      const { results } = done(await person.patch(path, [{ id, revision, data: { note: `round ${round}` } }]));
      durations.edits.push(performance.now() - startedAt);
      expect(results).toMatchObject([{ outcome: 'done' }]);
    }
    const text = (values: readonly number[]) =>
      `${median(values).toFixed(1)} ms (${values.map((ms) => ms.toFixed(0)).join(' ')})`;
    console.log(
      `${ROWS} rows: a rename ${text(durations.renames)}, an edit of one row ${text(durations.edits)};`,
      `row events before and after each rename: ${eventCounts.map((pair) => pair.join(' = ')).join(', ')}`,
    );
  } finally {
    await store.close();
  }
});
