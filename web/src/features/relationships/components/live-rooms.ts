/** The socket rooms that the lists of relationships and of their values join. */
import type { RelationshipView } from '@rdm/contracts/relationships/relationships';

/** Values are told in the room of their relationship; new relationships where all submissions and data sets are told. */
export const listRooms = (relationships: readonly Pick<RelationshipView, 'id'>[] | undefined): string[] => [
  'collections',
  'reviews',
  ...(relationships ?? []).map(({ id }) => `relationship:${id}`),
];

/** One that was deleted has no room of its own; what comes back is told in those of its data sets. */
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

/** Values are told in the room of their relationship; that a row of theirs was deleted, in that of its data set. */
export const valueRooms = ({
  id,
  sourceDataSetId,
  targetDataSetId,
}: Pick<RelationshipView, 'id' | 'sourceDataSetId' | 'targetDataSetId'>): string[] => [
  ...new Set([`relationship:${id}`, `data-set:${sourceDataSetId}`, `data-set:${targetDataSetId}`]),
];
