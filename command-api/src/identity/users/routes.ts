/**
 * Routes with which administrators create, change, deactivate, unlock, sign out and erase users. A registered user is
 * never deleted.
 */

import {
  ChangeUser,
  CreatedUser,
  type CreateUser,
  createUserSchema,
  type PasswordRules,
  Refusal,
} from '@rdm/contracts';
import { idParam, type Pool, type Route, route, transaction } from '@rdm/platform';
import { eraseUser as eraseUserData } from '@rdm/platform/identity/erase-user';
import { z } from 'zod';
import { requireNoHoldOnUser } from '../../invariants/legal-holds.ts';
import { ChangeAnswer, withPosition } from '../../runtime/answer-schemas.ts';
import { commandRoutes } from '../../runtime/command-routes.ts';
import { type Commands, command } from '../../runtime/commands.ts';
import { changeAccess } from '../access-decision.ts';
import { assignRole, deactivateUser, existingUser, reactivateUser, registerUser, retireUser } from '../decider.ts';
import { initialStatus, type MailSettings } from '../mail/mail.ts';
import { sendInvitation } from '../passwords/password-links.ts';
import { unlock } from '../sign-in/lockout.ts';
import { deleteUnregisteredUser, endSessions, storeUser } from '../vault.ts';
import {
  changeProfile,
  deleteLinks,
  hasFailures,
  incrementRevision,
  loadCanSignIn,
  recordFact,
  releaseEmail,
  requireNotErased,
  withLockedUser,
} from './users-vault.ts';

export interface UserDependencies {
  commands: Commands;
  passwordRules: PasswordRules;
  mailSettings: MailSettings;
}

/** Inputs are not stored, because some contain personal data. A successful answer is stored as its id alone. */
const NOT_STORED = { keep: false } as const;

const createUser = (mailSettings: MailSettings) =>
  command<{ user: CreateUser }>(
    'CreateUser',
    async (x, { user }) => {
      const id = await x.allocateOne('user_ids');
      const invited = user.password === undefined;
      await storeUser(x.pool, id, invited ? { ...user, requirePasswordChange: false } : user);
      try {
        await changeAccess(x, (access) => registerUser(access, id, user.roleId));
      } catch (error) {
        // The user was not registered: release the name and the address.
        if (error instanceof Refusal) await deleteUnregisteredUser(x.pool, id);
        throw error;
      }
      if (invited) await inviteOnce(x.pool, id, user.username, mailSettings);
      const body = {
        id,
        username: user.username,
        ...(invited && { mail: initialStatus(mailSettings) }),
      } satisfies CreatedUser;
      return { status: 201, body };
    },
    NOT_STORED,
  );

/** Sends one invitation per user: a repeated command must not invalidate the first link. */
const inviteOnce = (pool: Pool, id: number, username: string, mailSettings: MailSettings) =>
  transaction(pool, async (client) => {
    const { rowCount } = await client.query('SELECT FROM identity.mail_outbox WHERE user_id = $1', [id]);
    if (rowCount === 0) await sendInvitation(client, id, username, mailSettings);
  });

/**
 * Changes the role within the transaction of the profile, so that a refused change of the role also rolls back the
 * profile. `seen` is the expected revision.
 */
const changeUser = command<{ id: number; body: ChangeUser; seen?: number }>(
  'ChangeUser',
  (x, { id, body: { roleId, ...profile }, seen: expectedRevision }) =>
    withLockedUser(x.pool, id, async (client, person) => {
      const { commandId } = x.meta;
      if (person.revised_by === commandId) return { body: { id, revision: person.revision } };
      requireNotErased(person);
      if (expectedRevision !== undefined && expectedRevision !== person.revision) {
        const current = { id, revision: person.revision };
        throw new Refusal('STALE', 'Another user changed this user meanwhile', { current });
      }
      const fields = await changeProfile(client, person, profile);
      const canSignIn = await loadCanSignIn(client);
      const assigned = await changeAccess(x, (access) => {
        const { roleId: roleBefore } = existingUser(access, id);
        const { events } = assignRole(access, id, roleId ?? roleBefore, canSignIn);
        return { events, result: events.length > 0 };
      });
      if (fields.length === 0 && !assigned) return { body: { id, revision: person.revision } };
      if (fields.length > 0) await recordFact(client, x.meta, { type: 'ProfileChanged', data: { userId: id, fields } });
      return { body: { id, revision: await incrementRevision(client, person, commandId) } };
    }),
  NOT_STORED,
);

interface UserInput {
  id: number;
}

const deactivate = command<UserInput>(
  'DeactivateUser',
  (x, { id }) =>
    withLockedUser(x.pool, id, async (client) => {
      const canSignIn = await loadCanSignIn(client);
      await changeAccess(x, (access) => deactivateUser(access, id, canSignIn));
      await endSessions(client, id);
      await deleteLinks(client, id);
      return { body: { id } };
    }),
  NOT_STORED,
);

const reactivate = command<UserInput>(
  'ReactivateUser',
  (x, { id }) =>
    withLockedUser(x.pool, id, async (client, person) => {
      requireNotErased(person);
      await changeAccess(x, (access) => reactivateUser(access, id));
      // End sessions that an interrupted deactivation left open.
      await endSessions(client, id);
      return { body: { id } };
    }),
  NOT_STORED,
);

const unlockUser = command<UserInput>(
  'UnlockUser',
  (x, { id }) =>
    withLockedUser(x.pool, id, async (client, person) => {
      requireNotErased(person);
      if (await hasFailures(client, person)) {
        await unlock(client, id);
        await recordFact(client, x.meta, { type: 'UserUnlocked', data: { userId: id } });
      }
      return { body: { id } };
    }),
  NOT_STORED,
);

const requirePasswordChange = command<UserInput>(
  'RequirePasswordChange',
  (x, { id }) =>
    withLockedUser(x.pool, id, async (client, person) => {
      requireNotErased(person);
      if (person.auth_provider !== 'local') {
        throw new Refusal('INVALID', 'The sign-in provider manages the password of this user');
      }
      if (!person.require_password_change) {
        await client.query('UPDATE identity.users SET require_password_change = true WHERE id = $1', [id]);
        await recordFact(client, x.meta, { type: 'PasswordChangeRequired', data: { userId: id } });
      }
      return { body: { id } };
    }),
  NOT_STORED,
);

const endAllSessions = command<UserInput>(
  'EndSessions',
  (x, { id }) =>
    withLockedUser(x.pool, id, async (client) => {
      const ended = await endSessions(client, id);
      if (ended > 0) await recordFact(client, x.meta, { type: 'SessionsEnded', data: { userId: id } });
      return { body: { id, ended } };
    }),
  NOT_STORED,
);

/** Removes an unproved address from a user, so that the owner of the address can sign in through the provider. */
const releaseEmailAddress = command<UserInput>(
  'ReleaseEmailAddress',
  (x, { id }) =>
    withLockedUser(x.pool, id, async (client, person) => {
      requireNotErased(person);
      if (person.auth_provider !== 'local') {
        throw new Refusal('INVALID', 'The sign-in provider manages the e-mail address of this user');
      }
      if (person.email_proved_at !== null) {
        throw new Refusal(
          'CONFLICT',
          'This user has proved the e-mail address by a link in a mail. A proved address cannot be released.',
        );
      }
      if (person.email !== '') {
        await releaseEmail(client, person);
        await incrementRevision(client, person, x.meta.commandId);
        await recordFact(client, x.meta, { type: 'EmailAddressReleased', data: { userId: id } });
      }
      return { body: { id } };
    }),
  NOT_STORED,
);

const eraseUser = command<UserInput>(
  'EraseUser',
  (x, { id }) =>
    withLockedUser(x.pool, id, async (client, person) => {
      if (!person.erased_at) {
        const canSignIn = await loadCanSignIn(client);
        await changeAccess(x, (access) => {
          requireNoHoldOnUser(access, id);
          return retireUser(access, id, canSignIn);
        });
        await eraseUserData(client, person);
        await recordFact(client, x.meta, { type: 'UserErased', data: { userId: id } });
      }
      return { body: { id } };
    }),
  NOT_STORED,
);

export function userRoutes({ commands, passwordRules, mailSettings }: UserDependencies): Route[] {
  const create = createUser(mailSettings);
  const userCommands = {
    deactivate: { definition: deactivate, summary: 'Deactivate a user' },
    reactivate: { definition: reactivate, summary: 'Reactivate a user' },
    unlock: { definition: unlockUser, summary: 'Unlock a user after failed sign-ins' },
    'require-password-change': { definition: requirePasswordChange, summary: 'Require a user to change the password' },
    'end-sessions': { definition: endAllSessions, summary: 'End all sessions of a user' },
    'release-email': {
      definition: releaseEmailAddress,
      summary: 'Release an e-mail address that its user has not proved',
    },
    erase: {
      definition: eraseUser,
      summary: 'Erase the personal data of a user',
      errors: ['LEGAL_HOLD'] as const,
    },
  };
  commands.register([create, changeUser, ...Object.values(userCommands).map(({ definition }) => definition)]);
  const answers = { 200: ChangeAnswer.extend({ ended: z.number().optional() }) };
  const administrator = { administrator: true } as const;
  const routes = commandRoutes(commands);
  return [
    route(
      'post',
      '/api/users',
      administrator,
      {
        summary: 'Create a user',
        example: { body: { username: 'maria', email: 'maria@example.com', roleId: 4 } },
        answers: { 201: withPosition(CreatedUser) },
        errors: ['NAME_TAKEN'],
        body: createUserSchema(passwordRules),
      },
      (request) => commands.handle(create, request, { user: request.body }),
    ),
    routes.change('patch', '/api/users/:id', administrator, ChangeUser, changeUser, {
      summary: 'Change a user',
      example: { body: { department: 'Finance' } },
      errors: ['NAME_TAKEN', 'LAST_ADMINISTRATOR'],
    }),
    ...Object.entries(userCommands).map(([verb, { definition, summary, ...more }]) =>
      route(
        'post',
        `/api/users/:id/${verb}`,
        administrator,
        { summary, answers, errors: ['LAST_ADMINISTRATOR', ...('errors' in more ? more.errors : [])] },
        (request) => commands.handle(definition, request, { id: idParam(request) }),
      ),
    ),
  ];
}
