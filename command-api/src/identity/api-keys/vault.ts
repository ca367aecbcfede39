/** The vault's part of API keys: what they may do and the hashes of their secrets, with each fact for the log. */
import { type ApiKeyEvent, Refusal } from '@rdm/contracts';
import { type Client, hashSecret, newApiKey, type Pool, shownPrefix, transaction } from '@rdm/platform';
import { isInOutbox, type OutboxFact, putInOutbox } from '../../runtime/outbox.ts';
import type { HeldKey } from './decider.ts';

type Created = Extract<ApiKeyEvent, { type: 'ApiKeyCreated' }>['data'];

/** Stores a key and gives its secret; undefined when an earlier run did, whose caller alone was told. */
export async function storeKey(
  pool: Pool,
  key: Created,
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

/** Decides about a key that nobody else changes meanwhile; what `change` is asked for is the vault's part of it. */
export async function changeKey<Result>(
  pool: Pool,
  id: number,
  change: (held: HeldKey, client: Client) => Promise<Result>,
): Promise<Result> {
  return transaction(pool, async (client) => {
    const { rows } = await client.query<HeldKey>(
      `SELECT id, expires_at AS "expiresAt", revoked_at AS "revokedAt" FROM identity.api_keys WHERE id = $1 FOR UPDATE`,
      [id],
    );
    if (!rows[0]) throw new Refusal('NOT_FOUND', 'This API key does not exist');
    return change(rows[0], client);
  });
}

/** Gives a new secret beside the old ones, which end at `overlapUntil`; undefined when an earlier run did. */
export async function replaceSecret(
  client: Client,
  id: number,
  overlapUntil: string,
  issuedTo: number,
  fact: OutboxFact,
): Promise<string | undefined> {
  if (await isInOutbox(client, fact)) return undefined;
  await client.query('DELETE FROM identity.api_key_secrets WHERE api_key_id = $1 AND expires_at <= now()', [id]);
  // An overlap that ends sooner still does.
  await client.query(
    'UPDATE identity.api_key_secrets SET expires_at = least(expires_at, $2::timestamptz) WHERE api_key_id = $1',
    [id, overlapUntil],
  );
  await client.query('UPDATE identity.api_keys SET updated_at = now() WHERE id = $1', [id]);
  await putInOutbox(client, fact);
  return storeSecret(client, id, issuedTo);
}

/** The next request of the key is refused, whichever instance it comes to. */
export async function endKey(client: Client, id: number, fact: OutboxFact): Promise<void> {
  await client.query('UPDATE identity.api_keys SET revoked_at = now(), updated_at = now() WHERE id = $1', [id]);
  await putInOutbox(client, fact);
}

/** What is done with a secret counts as done by whoever was shown it: they may not review it. */
async function storeSecret(client: Client, id: number, issuedTo: number): Promise<string> {
  const secret = newApiKey();
  await client.query(
    'INSERT INTO identity.api_key_secrets (hash, api_key_id, prefix, issued_to) VALUES ($1, $2, $3, $4)',
    [hashSecret(secret), id, shownPrefix(secret), issuedTo],
  );
  return secret;
}
