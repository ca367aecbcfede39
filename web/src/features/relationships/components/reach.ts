/** Which rooms the lists of relationships listen to, and who may create a relationship. */
import { hasLevel } from '@rdm/contracts/permissions';
import type { RelationshipView } from '@rdm/contracts/relationships';
import { useQuery } from '@tanstack/react-query';
import { dataSetChoicesQuery } from '../../../lib/data-sets/index.ts';

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

/** A relationship needs WRITE on its source data set: whoever has that on any may create one. */
export function useMayCreate(): boolean {
  const { data } = useQuery(dataSetChoicesQuery(''));
  return data?.items.some(({ level }) => hasLevel(level, 'WRITE')) ?? false;
}
