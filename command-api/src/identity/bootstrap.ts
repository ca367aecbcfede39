/** Writes the seeded roles and the first administrator at the first start. A later start completes a failed attempt. */
import {
  ACCESS_STREAM,
  ADMINISTRATOR_ROLE_ID,
  type PasswordRules,
  passwordSchema,
  SEEDED_ROLES,
  streams,
} from '@rdm/contracts';
import type { EventStore, Log, NewEvent, Pool } from '@rdm/platform';
import { newSalt, WrongRevision } from '@rdm/platform';
import { v5 as uuidv5 } from 'uuid';
import { storeUser } from './vault.ts';

const FIRST_USER_ID = 1;
const COMMAND_ID = 'b7a1c1de-64a6-5f0c-9c67-0f9f4d1e2a10';

/** Does nothing if the access stream has events. Requires ADMIN_PASSWORD at the first start. */
export async function bootstrap(
  pool: Pool,
  store: EventStore,
  log: Log,
  adminPassword: string | undefined,
  rules: PasswordRules,
): Promise<void> {
  if (await store.tail(ACCESS_STREAM)) return;
  const checked = passwordSchema(rules).safeParse(adminPassword);
  if (!checked.success) {
    const why = adminPassword === undefined ? 'it is not set' : checked.error.issues[0]?.message;
    throw new Error(`ADMIN_PASSWORD is needed for the first start, for the user "admin": ${why}`);
  }
  await storeUser(pool, FIRST_USER_ID, {
    username: 'admin',
    email: 'admin@example.com',
    password: checked.data,
    roleId: ADMINISTRATOR_ROLE_ID,
    displayName: 'Administrator',
    requirePasswordChange: false,
  });
  const now = new Date().toISOString();
  const metadata = {
    $correlationId: COMMAND_ID,
    $causationId: COMMAND_ID,
    actorId: null,
    requestId: 'first-start',
    sourceType: 'SYSTEM' as const,
    dataSetIds: [],
    occurredAt: now,
    salt: newSalt(),
  };
  const toNewEvents = (stream: string, events: { type: string; data: unknown }[]): NewEvent[] =>
    events.map((event, index) => ({ ...event, id: uuidv5(`${stream}:${index}`, COMMAND_ID), metadata }));
  await appendOnce(
    store,
    streams.names('roles'),
    toNewEvents(
      streams.names('roles'),
      SEEDED_ROLES.map((role) => ({ type: 'NameClaimed', data: { name: role.name, ownerId: role.roleId } })),
    ),
  );
  await appendOnce(
    store,
    ACCESS_STREAM,
    toNewEvents(ACCESS_STREAM, [
      ...SEEDED_ROLES.map((role) => ({ type: 'RoleDefined', data: role })),
      { type: 'UserRegistered', data: { userId: FIRST_USER_ID, roleId: ADMINISTRATOR_ROLE_ID } },
    ]),
  );
  log.info('Wrote the seeded roles and the first administrator');
}

/** Appends events; ignores a conflict, because another instance or an interrupted start has appended the events. */
async function appendOnce(store: EventStore, stream: string, events: NewEvent[]): Promise<void> {
  try {
    await store.append(stream, events, 'NO_STREAM');
  } catch (error) {
    if (!(error instanceof WrongRevision)) throw error;
  }
}
