/** The rooms that the lists of crosswalks join. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';

/** Changes of values are sent to the room of their crosswalk; new crosswalks to those of all submissions and data sets. */
export const listRooms = (crosswalks: readonly Pick<CrosswalkView, 'id'>[] | undefined): string[] => [
  'collections',
  'reviews',
  ...(crosswalks ?? []).map(({ id }) => `crosswalk:${id}`),
];

/** A deleted crosswalk has no room of its own; a restored one is sent to the rooms of its data sets. */
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
