/** The rooms that the lists of relationships and of their values join. */
import type { RelationshipView } from '@rdm/contracts/relationships/relationships';

/**
 * Changes of values are sent to the room of their relationship; new relationships to those of all submissions and data
 * sets.
 */
export const listRooms = (relationships: readonly Pick<RelationshipView, 'id'>[] | undefined): string[] => [
  'collections',
  'reviews',
  ...(relationships ?? []).map(({ id }) => `relationship:${id}`),
];

/** A deleted relationship has no room of its own; a restored one is sent to the rooms of its data sets. */
export const deletedRooms = (
  relationships: readonly Pick<RelationshipView, 'sourceDataSetId' | 'targetDataSetId'>[] | undefined,
): string[] => [
  'collections',
  'reviews',
  ...new Set(
    (relationships ?? []).flatMap(({ sourceDataSetId, targetDataSetId }) => [
      `data-set:${sourceDataSetId}`,
      `data-set:${targetDataSetId}`,
    ]),
  ),
];

/** Changes of values are sent to the room of their relationship; deletions of their rows to that of the data set. */
export const valueRooms = ({
  id,
  sourceDataSetId,
  targetDataSetId,
}: Pick<RelationshipView, 'id' | 'sourceDataSetId' | 'targetDataSetId'>): string[] => [
  ...new Set([`relationship:${id}`, `data-set:${sourceDataSetId}`, `data-set:${targetDataSetId}`]),
];
