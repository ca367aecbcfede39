/**
 * Read model of missing mappings: source values that were requested without a served mapping. It does not
 * count the requests, because the counts are telemetry.
 */
import type { MissingMappingEvent } from '@rdm/contracts';
import { INDEXED_CHARACTERS } from '@rdm/platform';
import { projectionOf } from '../engine/projection.ts';
import type { FoldedRow, FoldedTable, Row } from '../tables/folded-table.ts';

interface MissingRow extends Row {
  id: number;
  crosswalk_id: number;
  source_value: string;
  ignored: boolean;
  ignore_reason: string | null;
  request_user_id: number | null;
  request_api_key_id: number | null;
  requested_at: string;
  updated_at: string;
}

export const missingMappingRows: FoldedTable<MissingRow, MissingMappingEvent> = {
  name: 'missing_mappings',
  columns: {
    id: 'bigint',
    crosswalk_id: 'bigint',
    source_value: 'text',
    ignored: 'boolean',
    ignore_reason: 'text',
    request_user_id: 'bigint',
    request_api_key_id: 'bigint',
    requested_at: 'timestamptz',
    updated_at: 'timestamptz',
    valid_from: 'bigint',
  },
  key: ['id'],
  versioned: false,
  indexes: [`(crosswalk_id, left(source_value, ${INDEXED_CHARACTERS}))`],
  touchedKeys: ({ type, data }) =>
    (type === 'MissingMappingRequested' ? data.requests.map(({ id }) => id) : data.ids).map((id) => [id]),
  createsRows: (event) => event.type === 'MissingMappingRequested',
  fold(event, rows): (FoldedRow<MissingRow> | undefined)[] {
    const at = event.metadata.occurredAt;
    switch (event.type) {
      case 'MissingMappingRequested':
        return event.data.requests.map(({ id, sourceValue }) => ({
          id,
          crosswalk_id: event.entityId,
          source_value: sourceValue,
          ignored: false,
          ignore_reason: null,
          request_user_id: event.metadata.actorId,
          request_api_key_id: event.metadata.apiKeyId ?? null,
          requested_at: at,
          updated_at: at,
        }));
      case 'MissingMappingIgnored':
        return rows.map((row) => row && { ...row, ignored: true, ignore_reason: event.data.comment, updated_at: at });
      case 'MissingMappingReopened':
        return rows.map((row) => row && { ...row, ignored: false, ignore_reason: null, updated_at: at });
    }
  },
};

export const missingMappings = projectionOf(
  { name: 'missing_mappings', version: 4, categories: ['missingMappings'] },
  missingMappingRows,
);
