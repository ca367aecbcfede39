/** Which rooms the lists of crosswalks listen to, and who may create a crosswalk. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks';
import { hasLevel } from '@rdm/contracts/permissions';
import { useQuery } from '@tanstack/react-query';
import { dataSetChoicesQuery } from '../../../lib/data-sets/index.ts';

/** Values are told in the room of their crosswalk; new crosswalks where all submissions and data sets are told. */
export const listRooms = (crosswalks: readonly Pick<CrosswalkView, 'id'>[] | undefined): string[] => [
  'collections',
  'reviews',
  ...(crosswalks ?? []).map(({ id }) => `crosswalk:${id}`),
];

/** One that was deleted has no room of its own; what comes back is told in those of its data sets. */
export const deletedRooms = (
  crosswalks: readonly Pick<CrosswalkView, 'sourceSystemId' | 'targetSystemId'>[] | undefined,
): string[] => [
  'collections',
  'reviews',
  ...new Set(
    (crosswalks ?? []).flatMap(({ sourceSystemId, targetSystemId }) => [
      `data-set:${sourceSystemId}`,
      `data-set:${targetSystemId}`,
    ]),
  ),
];

/** A crosswalk needs WRITE on its source data set: whoever has that on any may create one. */
export function useMayCreate(): boolean {
  const { data } = useQuery(dataSetChoicesQuery(''));
  return data?.items.some(({ level }) => hasLevel(level, 'WRITE')) ?? false;
}
