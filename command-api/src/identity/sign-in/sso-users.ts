/** People of the sign-in provider: found by the provider's user id, stored when they come first, kept as the provider describes them. */
import { randomUUID } from 'node:crypto';
import { ACCESS_STREAM, type AccessState, type ProductEvent, Refusal, streams, VIEWER_ROLE_ID } from '@rdm/contracts';
import { type Client, type Queryable, transaction } from '@rdm/platform';
import type { JWTPayload } from 'jose';
import { z } from 'zod';
import { command } from '../../runtime/commands.ts';
import { outboxFact, putInOutbox } from '../../runtime/outbox.ts';
import { kinds } from '../../runtime/stream-kinds.ts';
import { registerUser } from '../decider.ts';
import { findLookAlikes } from '../users/look-alikes.ts';
import { changeProfile, type Person, revise } from '../users/users-vault.ts';
import { forgetUser } from '../vault.ts';

/** Of a claim that makes no sense here nothing is taken; it stops nobody from signing in. */
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

/** Somebody as the provider describes them. */
export interface Described {
  provider: string;
  subject: string;
  username: string;
  /** Undefined where the provider says none, or says that it is not verified. */
  email: string | undefined;
  displayName: string | undefined;
  firstName: string | undefined;
  lastName: string | undefined;
}

export function described(provider: string, subject: string, claims: JWTPayload): Described {
  const said = Claims.parse(claims);
  const named = (said.preferred_username ?? said.email ?? subject).split('@')[0] ?? '';
  return {
    provider,
    subject,
    username: named.replace(/\s+/g, '.').slice(0, 80) || provider,
    email: said.email_verified === false ? undefined : said.email,
    displayName: said.name,
    firstName: said.given_name,
    lastName: said.family_name,
  };
}

/** The role that a claim names, by its name; the newcomers' where it names none that exists. */
export function roleNamed(access: AccessState, named: unknown): number {
  const names = (Array.isArray(named) ? named : [named]).filter((name) => typeof name === 'string');
  for (const name of names) {
    for (const role of access.roles.values()) {
      if (role.name.toLowerCase() === name.trim().toLowerCase()) return role.roleId;
    }
  }
  return VIEWER_ROLE_ID;
}

/** Somebody's id by what they are called at the provider. */
export async function linkedUser(db: Queryable, { provider, subject }: Described): Promise<number | undefined> {
  const { rows } = await db.query<{ id: number }>(
    'SELECT id FROM identity.users WHERE auth_provider = $1 AND okta_id = $2',
    [provider, subject],
  );
  return rows[0]?.id;
}

/**
 * Makes somebody a user who came through the provider for the first time. Nobody gets an account that is there already
 * because a provider says that they have its e-mail address. Repeating it, or meeting another first sign-in of the same
 * person, leads to the same user.
 */
export const linkIdentity = command<{ person: Described; roleId: number }>(
  'LinkIdentity',
  async (x, { person, roleId }) => {
    const id = await x.allocateOne('user_ids');
    const stored = await transaction(x.pool, async (client) => {
      if (!(await store(client, id, person))) return false;
      const event: ProductEvent = { type: 'IdentityLinked', data: { userId: id, provider: person.provider } };
      await putInOutbox(client, outboxFact(x.meta, streams.user(id), event, new Date()));
      return true;
    });
    const userId = stored ? id : await linkedUser(x.pool, person);
    if (userId === undefined) throw new Refusal('NAME_TAKEN', EMAIL_TAKEN);
    try {
      await x.change(kinds.access, ACCESS_STREAM, [], (access) => registerUser(access, userId, roleId));
    } catch (error) {
      // Nobody: the name and the address are free again.
      if (stored && error instanceof Refusal) await forgetUser(x.pool, userId);
      throw error;
    }
    return { status: 201, body: { id: userId } };
  },
  { keep: false },
);

const EMAIL_TAKEN =
  'There is an account with your e-mail address already, which signs in otherwise. Ask an administrator for help.';
const NO_EMAIL =
  'The sign-in provider does not confirm an e-mail address of yours. Ask an administrator to include it in the id_token.';
const USERNAMES_TRIED = 50;

/** Stores somebody under the first of their possible usernames that is free; false where that cannot be. */
async function store(client: Client, id: number, person: Described): Promise<boolean> {
  if (person.email === undefined) throw new Refusal('INVALID', NO_EMAIL);
  const isLookAlike = await findLookAlikes(client, id);
  for (let tried = 1; tried <= USERNAMES_TRIED; tried++) {
    const username = tried === 1 ? person.username : `${person.username}-${tried}`;
    if (isLookAlike(username)) continue;
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
 * Takes over what the provider says of somebody now; answers the names of the fields that changed. An address that
 * somebody else has here stays as it was: that must not keep anybody out.
 */
export async function refreshProfile(client: Client, held: Person, person: Described): Promise<string[]> {
  const { email, displayName, firstName, lastName } = person;
  const changed = await changeProfile(client, held, {
    ...(email !== undefined && (await isFree(client, held.id, email)) ? { email } : {}),
    ...(displayName === undefined ? {} : { displayName }),
    ...(firstName === undefined ? {} : { firstName }),
    ...(lastName === undefined ? {} : { lastName }),
  });
  if (changed.length > 0) await revise(client, held, randomUUID());
  return changed;
}

async function isFree(client: Client, id: number, email: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'SELECT FROM identity.users WHERE id <> $1 AND lower(email) = lower($2) AND erased_at IS NULL',
    [id, email],
  );
  return rowCount === 0;
}
