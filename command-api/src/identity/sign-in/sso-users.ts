/**
 * Users of the sign-in provider: found by the provider's user id, created at the first sign-in, and updated from the
 * provider's claims.
 */
import { randomUUID } from 'node:crypto';
import { ACCESS_STREAM, type AccessState, type ProductEvent, Refusal, streams, VIEWER_ROLE_ID } from '@rdm/contracts';
import { type Client, type Queryable, transaction } from '@rdm/platform';
import type { JWTPayload } from 'jose';
import { z } from 'zod';
import { command } from '../../runtime/commands.ts';
import { outboxFact, putInOutbox } from '../../runtime/outbox.ts';
import { kinds } from '../../runtime/stream-kinds.ts';
import { registerUser } from '../decider.ts';
import { loadLookAlikeCheck } from '../users/look-alikes.ts';
import { changeProfile, incrementRevision, type UserRow } from '../users/users-vault.ts';
import { deleteUnregisteredUser } from '../vault.ts';

/** Ignores an invalid claim, which must not prevent the sign-in. */
const text = z
  .string()
  .trim()
  .min(1)
  .transform((value) => value.slice(0, 200))
  .optional()
  .catch(undefined);

const Claims = z.object({
  email: z.string().trim().pipe(z.email().max(320)).optional().catch(undefined),
  email_verified: z.union([z.boolean(), z.stringbool()]).optional().catch(undefined),
  preferred_username: text,
  name: text,
  given_name: text,
  family_name: text,
});

/** A user as described by the provider. */
export interface ProviderProfile {
  provider: string;
  subject: string;
  username: string;
  /** Undefined if the provider sends no valid address, or sends an address with `email_verified` false. */
  email: string | undefined;
  displayName: string | undefined;
  firstName: string | undefined;
  lastName: string | undefined;
}

export function profileFromClaims(provider: string, subject: string, claims: JWTPayload): ProviderProfile {
  const parsed = Claims.parse(claims);
  const claimedName = (parsed.preferred_username ?? parsed.email ?? subject).split('@')[0] ?? '';
  return {
    provider,
    subject,
    username: claimedName.replace(/\s+/g, '.').slice(0, 80) || provider,
    email: parsed.email_verified === false ? undefined : parsed.email,
    displayName: parsed.name,
    firstName: parsed.given_name,
    lastName: parsed.family_name,
  };
}

/** Returns the id of the first role that the claim names; VIEWER_ROLE_ID if it names none. */
export function roleFromClaim(access: AccessState, claim: unknown): number {
  const names = (Array.isArray(claim) ? claim : [claim]).filter((name) => typeof name === 'string');
  for (const name of names) {
    for (const role of access.roles.values()) {
      if (role.name.toLowerCase() === name.trim().toLowerCase()) return role.roleId;
    }
  }
  return VIEWER_ROLE_ID;
}

/** Returns the id of the user with this provider account. */
export async function findLinkedUser(
  db: Queryable,
  { provider, subject }: ProviderProfile,
): Promise<number | undefined> {
  const { rows } = await db.query<{ id: number }>(
    'SELECT id FROM identity.users WHERE auth_provider = $1 AND okta_id = $2',
    [provider, subject],
  );
  return rows[0]?.id;
}

/**
 * Creates a user at the first sign-in through the provider. Never links an existing account because of an equal e-mail
 * address. Repeated and concurrent runs for one person return the same user.
 */
export const linkIdentity = command<{ person: ProviderProfile; roleId: number }>(
  'LinkIdentity',
  async (x, { person, roleId }) => {
    const id = await x.allocateOne('user_ids');
    const isNew = await transaction(x.pool, async (client) => {
      if (!(await store(client, id, person))) return false;
      const event: ProductEvent = { type: 'IdentityLinked', data: { userId: id, provider: person.provider } };
      await putInOutbox(client, outboxFact(x.meta, streams.user(id), event, new Date()));
      return true;
    });
    const userId = isNew ? id : await findLinkedUser(x.pool, person);
    if (userId === undefined) throw new Refusal('NAME_TAKEN', EMAIL_TAKEN);
    try {
      await x.change(kinds.access, ACCESS_STREAM, [], (access) => registerUser(access, userId, roleId));
    } catch (error) {
      // The user was not created: release the name and address.
      if (isNew && error instanceof Refusal) await deleteUnregisteredUser(x.pool, userId);
      throw error;
    }
    return { status: 201, body: { id: userId } };
  },
  { keep: false },
);

const EMAIL_TAKEN =
  'An account with your e-mail address exists already and signs in another way. Ask an administrator for help.';
const NO_EMAIL =
  'The sign-in provider does not confirm your e-mail address. Ask an administrator to include it in the id_token.';
const USERNAMES_TRIED = 50;

/**
 * Stores the user with the first username that is unused and looks like no other; returns false if the user is stored
 * already or another user has the address.
 */
async function store(client: Client, id: number, person: ProviderProfile): Promise<boolean> {
  if (person.email === undefined) throw new Refusal('INVALID', NO_EMAIL);
  const isSimilar = await loadLookAlikeCheck(client, id);
  for (let attempt = 1; attempt <= USERNAMES_TRIED; attempt++) {
    const username = attempt === 1 ? person.username : `${person.username}-${attempt}`;
    if (isSimilar(username)) continue;
    const { rowCount } = await client.query(
      `INSERT INTO identity.users (id, username, email, first_name, last_name, display_name, okta_id, auth_provider)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
      [
        id,
        username,
        person.email,
        person.firstName ?? null,
        person.lastName ?? null,
        person.displayName ?? null,
        person.subject,
        person.provider,
      ],
    );
    if (rowCount === 1) return true;
    const { rows } = await client.query(
      `SELECT FROM identity.users
        WHERE id = $1 OR (auth_provider = $2 AND okta_id = $3) OR (lower(email) = lower($4) AND erased_at IS NULL)`,
      [id, person.provider, person.subject, person.email],
    );
    if (rows.length > 0) return false;
  }
  throw new Refusal('NAME_TAKEN', 'Too many people have a username like yours. Ask an administrator for help.');
}

/**
 * Updates the profile from the provider's claims and returns the changed fields. If another user has the new address,
 * keeps the old address, so that the sign-in still succeeds.
 */
export async function refreshProfile(client: Client, current: UserRow, person: ProviderProfile): Promise<string[]> {
  const { email, displayName, firstName, lastName } = person;
  const changed = await changeProfile(client, current, {
    ...(email !== undefined && (await isEmailUnused(client, current.id, email)) ? { email } : {}),
    ...(displayName === undefined ? {} : { displayName }),
    ...(firstName === undefined ? {} : { firstName }),
    ...(lastName === undefined ? {} : { lastName }),
  });
  if (changed.length > 0) await incrementRevision(client, current, randomUUID());
  return changed;
}

async function isEmailUnused(client: Client, id: number, email: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'SELECT FROM identity.users WHERE id <> $1 AND lower(email) = lower($2) AND erased_at IS NULL',
    [id, email],
  );
  return rowCount === 0;
}
