/** Specifies which rows of a data set are in use, and which streams are read to find them. */
import { type DataSet, folds, type InstanceRow, streams } from '@rdm/contracts';
import { crosswalkDefined, dataSetCreated, eventMetadata, mappingsDrafted } from '@rdm/contracts/testing/events';
import { expect, it } from 'vitest';
import type { Streams } from '../runtime/streams.ts';
import { loadRowReferences } from './row-references.ts';

const metadata = eventMetadata();
const UNUSED = 1;
const USED = 2;

const dataSet = {
  ...folds.dataSet.evolve(undefined, { ...dataSetCreated({ id: 1 }), metadata }),
  crosswalkIds: [UNUSED, USED],
} as DataSet;

const stateOf: Record<string, unknown> = {
  [streams.crosswalk(UNUSED)]: folds.crosswalk.evolve(undefined, { ...crosswalkDefined({ id: UNUSED }), metadata }),
  [streams.crosswalk(USED)]: [
    crosswalkDefined({ id: USED }),
    { type: 'CrosswalkValuesStarted', data: {} } as const,
  ].reduce((state, event) => folds.crosswalk.evolve(state, { ...event, metadata }), folds.crosswalk.initial()),
  [streams.mappings(USED, 7)]: folds.mappings.evolve(folds.mappings.initial(), {
    ...mappingsDrafted({ id: 7, sourceValue: 'DE', targetValue: 'DEU' }),
    metadata,
  }),
};

it('finds the rows that mappings use, and skips crosswalks that never had a mapping', async () => {
  const readStreams: string[] = [];
  const load = async (kind: { initial: () => unknown }, stream: string) => {
    readStreams.push(stream);
    return { state: stateOf[stream] ?? kind.initial(), revision: 0 };
  };
  const isReferenced = await loadRowReferences({ load } as unknown as Pick<Streams, 'load'>, dataSet);
  const row = (code: string) => ({ id: 64, values: { 1: code } }) as unknown as InstanceRow;
  expect([isReferenced(row('DE')), isReferenced(row('FR'))]).toEqual([true, false]);
  expect(readStreams).toContain(streams.mappings(USED, 0));
  expect(readStreams).not.toContain(streams.mappings(UNUSED, 0));
});
