/** Read model of the keys that sign the audit log. */
import type { SigningKeyEvent } from '@rdm/contracts';
import { projectionOf } from '../engine/projection.ts';
import { type FoldedTable, foldOne, type Row } from '../tables/folded-table.ts';

interface SigningKeyRow extends Row {
  key_id: string;
  public_key: string;
  registered_at: string;
}

const signingKeyRows: FoldedTable<SigningKeyRow, SigningKeyEvent> = {
  name: 'signing_keys',
  columns: { key_id: 'text', public_key: 'text', registered_at: 'timestamptz', valid_from: 'bigint' },
  key: ['key_id'],
  versioned: false,
  // The category also contains events of backups.
  touchedKeys: ({ type, data }) => (type === 'SigningKeyRegistered' ? [[data.keyId]] : []),
  fold: foldOne((_, { data, metadata }) => ({
    key_id: data.keyId,
    public_key: data.publicKey,
    registered_at: metadata.occurredAt,
  })),
};

export const signingKeys = projectionOf({ name: 'signing_keys', version: 1, categories: ['system'] }, signingKeyRows);
