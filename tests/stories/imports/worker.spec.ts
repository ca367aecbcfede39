/** The import worker: exact counts, and nothing doubled or lost wherever it is cut short. */
import { describe, expect, it } from 'vitest';
import { type Fields, useStand } from './stand.ts';

const stand = useStand();
const FIELDS: Fields = [
  ['code', 'string'],
  ['name', 'string'],
  ['size', 'number'],
];

describe('an import', () => {
  it('counts what it did', async () => {
    const dataSetId = await stand.dataSet(FIELDS);
    const lines = Array.from(
      { length: 5_000 },
      (_, index) => `${String(index).padStart(5, '0')},Land ${index},${index}`,
    );
    const file = await stand.stage(dataSetId, `code,name,size\n${lines.join('\n')}\n`, FIELDS);
    const jobId = await stand.begin(file);
    stand.worker();
    const job = await stand.ended(jobId);
    expect(job.counts).toEqual({ total: 5_000, created: 5_000, changed: 0, unchanged: 0, failed: 0, skipped: 0 });
  });
});
