/** The socket rooms that the lists of crosswalks join. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';

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
