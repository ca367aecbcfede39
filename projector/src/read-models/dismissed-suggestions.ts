/** Table of dismissed suggestions, with the user and the time of each dismissal. */
import type { SuggestionEvent } from '@rdm/contracts';
import { INDEXED_CHARACTERS } from '@rdm/platform';
import type { FoldedTable, Row } from '../tables/folded-table.ts';

interface DismissedRow extends Row {
  crosswalk_id: number;
  id: number;
  source_value: string;
  target_value: string;
  dismissed_by: number | null;
  dismissed_at: string;
}

export const dismissedSuggestions: FoldedTable<DismissedRow, SuggestionEvent> = {
  name: 'dismissed_suggestions',
  columns: {
    crosswalk_id: 'bigint',
    id: 'bigint',
    source_value: 'text',
    target_value: 'text',
    dismissed_by: 'bigint',
    dismissed_at: 'timestamptz',
    valid_from: 'bigint',
  },
  key: ['crosswalk_id', 'id'],
  versioned: true,
  indexes: [`(crosswalk_id, left(source_value, ${INDEXED_CHARACTERS}))`],
  touchedKeys: ({ type, entityId, data }) =>
    (type === 'SuggestionsDismissed' ? data.rows.map(({ id }) => id) : data.ids).map((id) => [entityId, id]),
  createsRows: (event) => event.type === 'SuggestionsDismissed',
  fold: (event, rows) =>
    event.type === 'SuggestionsRestored'
      ? rows.map(() => undefined)
      : event.data.rows.map(({ id, sourceValue, targetValue }) => ({
          crosswalk_id: event.entityId,
          id,
          source_value: sourceValue,
          target_value: targetValue,
          dismissed_by: event.metadata.actorId,
          dismissed_at: event.metadata.occurredAt,
        })),
};
