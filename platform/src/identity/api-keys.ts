/** Finds the API key of a request by its secret. Only hashes of secrets are stored. */
import { createHash, randomBytes } from 'node:crypto';
import { API_KEY_PREFIX, type ApiKeyActor, type KeyScope } from '@rdm/contracts';
import { batchLookups } from '../postgres/batching.ts';
import type { Queryable } from '../postgres/postgres.ts';

/** Generates a secret of 256 random bits, with a prefix that scanners for leaked secrets recognise. */
export const newApiKey = (): string => `${API_KEY_PREFIX}${randomBytes(32).toString('base64url')}`;

/** Returns the part of a secret that lists of keys show. */
export const visiblePrefix = (secret: string): string => secret.slice(0, API_KEY_PREFIX.length + 8);

/** Hashes a secret. Random secrets cannot be guessed, so they need no salt and no slow hash. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Returns the secret in `Authorization: Bearer` or `X-API-Key`; undefined if the request has neither. */
export function apiKeyIn(header: (name: string) => string | undefined): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(header('Authorization') ?? '')?.[1];
  return bearer ?? header('X-API-Key');
}

const FIND = {
  name: 'find-api-key',
  text: `SELECT encode(s.hash, 'hex') AS hash, k.id, s.issued_to AS created_by, k.scopes
           FROM identity.api_key_secrets s JOIN identity.api_keys k ON k.id = s.api_key_id
          WHERE s.hash = ANY($1) AND k.revoked_at IS NULL
            AND (s.expires_at IS NULL OR s.expires_at > now()) AND (k.expires_at IS NULL OR k.expires_at > now())`,
};

interface KeyRow {
  id: number;
  created_by: number;
  scopes: KeyScope[];
}

const toActor = (row: KeyRow | undefined): ApiKeyActor | undefined =>
  row && { apiKeyId: row.id, createdBy: row.created_by, scopes: row.scopes };

/**
 * Finds the key of a secret, with the user to whom the secret was issued as `createdBy`. Returns undefined if the
 * secret or the key is not valid.
 */
export function findApiKey(db: Queryable, secret: string): Promise<ApiKeyActor | undefined> {
  let find = lookupByDatabase.get(db);
  if (!find) {
    find = batchLookups((hashes) => findKeys(db, hashes));
    lookupByDatabase.set(db, find);
  }
  return find(hashSecret(secret));
}

/** The batched lookups by database: each request looks up its key, and simultaneous lookups share a query. */
const lookupByDatabase = new WeakMap<Queryable, (hash: Buffer) => Promise<ApiKeyActor | undefined>>();

async function findKeys(db: Queryable, hashes: readonly Buffer[]): Promise<(ApiKeyActor | undefined)[]> {
  const { rows } = await db.query({ ...FIND, values: [hashes] });
  const rowsByHash = new Map((rows as (KeyRow & { hash: string })[]).map((row) => [row.hash, row]));
  return hashes.map((hash) => toActor(rowsByHash.get(hash.toString('hex'))));
}

/** Loads a key, with its creator as `createdBy`; undefined if the key is unknown, revoked or expired. */
export async function apiKeyById(db: Queryable, id: number): Promise<ApiKeyActor | undefined> {
  const { rows } = await db.query(
    `SELECT id, created_by, scopes FROM identity.api_keys
      WHERE id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
    [id],
  );
  return toActor(rows[0] as KeyRow | undefined);
}
