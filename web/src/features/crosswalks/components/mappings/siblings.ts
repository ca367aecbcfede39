/** Groups mappings by source value, because translate returns all served targets of a value. */

import type { MappingView } from '@rdm/contracts/crosswalks/mappings';

export type SiblingTarget = Pick<MappingView, 'id' | 'targetValue' | 'status' | 'served'>;

export interface GroupPosition {
  /** Whether the previous row has the same source value. The list displays the value only once. */
  continues: boolean;
  /** Further targets of the source value, also from mappings that the page does not display. */
  others: readonly SiblingTarget[];
}

/**
 * Returns the group positions by row id. `siblings` are the mappings of any status that have the source value of a
 * displayed row.
 */
export function groupBySource(
  rows: readonly MappingView[],
  siblings: readonly MappingView[],
): ReadonlyMap<number, GroupPosition> {
  const members = new Map<string, Map<number, MappingView>>();
  for (const row of [...siblings, ...rows]) {
    const group = members.get(row.sourceValue) ?? new Map<number, MappingView>();
    group.set(row.id, row);
    members.set(row.sourceValue, group);
  }
  return new Map(
    rows.map((row, index) => {
      const group = [...(members.get(row.sourceValue)?.values() ?? [])];
      return [
        row.id,
        {
          continues: rows[index - 1]?.sourceValue === row.sourceValue,
          others: group
            .filter((member) => member.id !== row.id && member.targetValue !== row.targetValue)
            .map(({ id, targetValue, status, served }) => ({ id, targetValue, status, served })),
        },
      ];
    }),
  );
}
