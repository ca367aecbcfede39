/** Stores API keys, their scopes and the hashes of their secrets, with the facts for the log. */
import { type ApiKeyEvent, Refusal } from '@rdm/contracts';
import { type Client, hashSecret, newApiKey, type Pool, transaction, visiblePrefix } from '@rdm/platform';
import { isInOutbox, type OutboxFact, putInOutbox } from '../../runtime/outbox.ts';
import type { StoredKey } from './decider.ts';

type CreatedKey = Extract<ApiKeyEvent, { type: 'ApiKeyCreated' }>['data'];

/** Stores a key and returns its secret; undefined if an earlier run of the command stored the key with its secret. */
export async function storeKey(
  pool: Pool,
  key: CreatedKey,
  createdBy: number,
  fact: OutboxFact,
): Promise<string | undefined> {
  return transaction(pool, async (client) => {
    const { rowCount } = await client.query(
      `INSERT INTO identity.api_keys (id, name, description, scopes, expires_at, created_by)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
      [key.apiKeyId, key.name, key.description, JSON.stringify(key.scopes), key.expiresAt, createdBy],
    );
    if (rowCount === 0) return undefined;
    await putInOutbox(client, fact);
    return storeSecret(client, key.apiKeyId, createdBy);
  });
}

/** Locks the row of a key and runs `change`, which updates the vault. Throws NOT_FOUND if the key does not exist. */
export async function changeKey<Result>(
  pool: Pool,
  id: number,
  change: (stored: StoredKey, client: Client) => Promise<Result>,
): Promise<Result> {
  return transaction(pool, async (client) => {
    const { rows } = await client.query<StoredKey>(
      `SELECT id, expires_at AS "expiresAt", revoked_at AS "revokedAt" FROM identity.api_keys WHERE id = $1 FOR UPDATE`,
      [id],
    );
    if (!rows[0]) throw new Refusal('NOT_FOUND', 'This API key does not exist');
    return change(rows[0], client);
  });
}

/** Adds a secret; old secrets expire at `overlapUntil` at the latest. Returns undefined if an earlier run did this. */
export async function replaceSecret(
  client: Client,
  id: number,
  overlapUntil: string,
  issuedTo: number,
  fact: OutboxFact,
): Promise<string | undefined> {
  if (await isInOutbox(client, fact)) return undefined;
  await client.query('DELETE FROM identity.api_key_secrets WHERE api_key_id = $1 AND expires_at <= now()', [id]);
  // A secret that expires before `overlapUntil` keeps its expiry.
  await client.query(
    'UPDATE identity.api_key_secrets SET expires_at = least(expires_at, $2::timestamptz) WHERE api_key_id = $1',
    [id, overlapUntil],
  );
  await client.query('UPDATE identity.api_keys SET updated_at = now() WHERE id = $1', [id]);
  await putInOutbox(client, fact);
  return storeSecret(client, id, issuedTo);
}

/** Revokes a key: every instance refuses the next request with this key. */
export async function endKey(client: Client, id: number, fact: OutboxFact): Promise<void> {
  await client.query('UPDATE identity.api_keys SET revoked_at = now(), updated_at = now() WHERE id = $1', [id]);
  await putInOutbox(client, fact);
}

/**
 * Stores and returns a new secret. The user `issuedTo`, who receives the secret, counts as an author of the rows that
 * are written with the secret.
 */
async function storeSecret(client: Client, id: number, issuedTo: number): Promise<string> {
  const secret = newApiKey();
  await client.query(
    'INSERT INTO identity.api_key_secrets (hash, api_key_id, prefix, issued_to) VALUES ($1, $2, $3, $4)',
    [hashSecret(secret), id, visiblePrefix(secret), issuedTo],
  );
  return secret;
}
