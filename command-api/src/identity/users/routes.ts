/** Users over HTTP, for administrators: invited, changed, deactivated, unlocked, signed out and erased; never deleted. */
import {
  ChangeUser,
  type CreatedUser,
  type CreateUser,
  createUserSchema,
  type PasswordRules,
  Refusal,
} from '@rdm/contracts';
import { idParam, type Pool, type Route, route, transaction } from '@rdm/platform';
import { type Commands, command } from '../../runtime/commands.ts';
import { expectedRevisionOf } from '../../runtime/expected-revision.ts';
import { changeAccess } from '../access-decision.ts';
import { assignRole, deactivateUser, existingUser, reactivateUser, registerUser, retireUser } from '../decider.ts';
import { becomesOf, type Post } from '../mail/mail.ts';
import { invite } from '../passwords/password-links.ts';
import { unlock } from '../sign-in/lockout.ts';
import { endSessions, forgetUser, storeUser } from '../vault.ts';
import {
  changeProfile,
  erase,
  forgetLinks,
  hasFailures,
  holdingPerson,
  releaseEmail,
  requireNotErased,
  revise,
  tell,
  whoCanSignIn,
} from './users-vault.ts';

export interface UserDependencies {
  commands: Commands;
  passwordRules: PasswordRules;
  post: Post;
}

/** Nothing of a person is kept with a command: neither what was asked nor what was answered. */
const unkept = { keep: false } as const;

const createUser = (post: Post) =>
  command<{ user: CreateUser }>(
    'CreateUser',
    async (x, { user }) => {
      const id = await x.allocateOne('user_ids');
      const invited = user.password === undefined;
      await storeUser(x.pool, id, invited ? { ...user, requirePasswordChange: false } : user);
      try {
        await changeAccess(x, (access) => registerUser(access, id, user.roleId));
      } catch (error) {
        // Nobody: the name and the address are free again.
        if (error instanceof Refusal) await forgetUser(x.pool, id);
        throw error;
      }
      if (invited) await inviteOnce(x.pool, id, user.username, post);
      const body = { id, username: user.username, ...(invited && { mail: becomesOf(post) }) } satisfies CreatedUser;
      return { status: 201, body };
    },
    unkept,
  );

/** Whoever was invited and repeats the command is not sent a second link, which would end the first. */
const inviteOnce = (pool: Pool, id: number, username: string, post: Post) =>
  transaction(pool, async (client) => {
    const { rowCount } = await client.query('SELECT FROM identity.mail_outbox WHERE user_id = $1', [id]);
    if (rowCount === 0) await invite(client, id, username, post);
  });

/** Profile and role together: what the log refuses of the role undoes what was changed of the profile. */
const changeUser = command<{ id: number; body: ChangeUser; seen?: number }>(
  'ChangeUser',
  (x, { id, body: { roleId, ...profile }, seen }) =>
    holdingPerson(x.pool, id, async (client, person) => {
      const { commandId } = x.meta;
      if (person.revised_by === commandId) return { body: { id, revision: person.revision } };
      requireNotErased(person);
      if (seen !== undefined && seen !== person.revision) {
        const current = { id, revision: person.revision };
        throw new Refusal('STALE', 'Somebody else changed this user meanwhile', { current });
      }
      const fields = await changeProfile(client, person, profile);
      const able = await whoCanSignIn(client);
      const assigned = await changeAccess(x, (access) => {
        const { roleId: roleBefore } = existingUser(access, id);
        const { events } = assignRole(access, id, roleId ?? roleBefore, able);
        return { events, result: events.length > 0 };
      });
      if (fields.length === 0 && !assigned) return { body: { id, revision: person.revision } };
      if (fields.length > 0) await tell(client, x.meta, { type: 'ProfileChanged', data: { userId: id, fields } });
      return { body: { id, revision: await revise(client, person, commandId) } };
    }),
  unkept,
);

interface OnUser {
  id: number;
}

const deactivate = command<OnUser>(
  'DeactivateUser',
  (x, { id }) =>
    holdingPerson(x.pool, id, async (client) => {
      const able = await whoCanSignIn(client);
      await changeAccess(x, (access) => deactivateUser(access, id, able));
      await endSessions(client, id);
      await forgetLinks(client, id);
      return { body: { id } };
    }),
  unkept,
);

const reactivate = command<OnUser>(
  'ReactivateUser',
  (x, { id }) =>
    holdingPerson(x.pool, id, async (client, person) => {
      requireNotErased(person);
      await changeAccess(x, (access) => reactivateUser(access, id));
      // Whatever a deactivation cut short left open does not come back to life.
      await endSessions(client, id);
      return { body: { id } };
    }),
  unkept,
);

const unlockUser = command<OnUser>(
  'UnlockUser',
  (x, { id }) =>
    holdingPerson(x.pool, id, async (client, person) => {
      requireNotErased(person);
      if (await hasFailures(client, person)) {
        await unlock(client, id);
        await tell(client, x.meta, { type: 'UserUnlocked', data: { userId: id } });
      }
      return { body: { id } };
    }),
  unkept,
);

const requirePasswordChange = command<OnUser>(
  'RequirePasswordChange',
  (x, { id }) =>
    holdingPerson(x.pool, id, async (client, person) => {
      requireNotErased(person);
      if (person.auth_provider !== 'local') {
        throw new Refusal('INVALID', 'The password of this user is kept by their sign-in provider');
      }
      if (!person.require_password_change) {
        await client.query('UPDATE identity.users SET require_password_change = true WHERE id = $1', [id]);
        await tell(client, x.meta, { type: 'PasswordChangeRequired', data: { userId: id } });
      }
      return { body: { id } };
    }),
  unkept,
);

const endAllSessions = command<OnUser>(
  'EndSessions',
  (x, { id }) =>
    holdingPerson(x.pool, id, async (client) => {
      const ended = await endSessions(client, id);
      if (ended > 0) await tell(client, x.meta, { type: 'SessionsEnded', data: { userId: id } });
      return { body: { id, ended } };
    }),
  unkept,
);

/** So that its owner can sign in through the provider: an address that was only typed keeps nobody out. */
const releaseEmailAddress = command<OnUser>(
  'ReleaseEmailAddress',
  (x, { id }) =>
    holdingPerson(x.pool, id, async (client, person) => {
      requireNotErased(person);
      if (person.auth_provider !== 'local') {
        throw new Refusal('INVALID', 'The e-mail address of this user is kept by their sign-in provider');
      }
      if (person.email_proved_at !== null) {
        throw new Refusal(
          'CONFLICT',
          'This user has proved that the e-mail address is theirs, by a link that was mailed there. It cannot be released.',
        );
      }
      if (person.email !== '') {
        await releaseEmail(client, person);
        await revise(client, person, x.meta.commandId);
        await tell(client, x.meta, { type: 'EmailAddressReleased', data: { userId: id } });
      }
      return { body: { id } };
    }),
  unkept,
);

const eraseUser = command<OnUser>(
  'EraseUser',
  (x, { id }) =>
    holdingPerson(x.pool, id, async (client, person) => {
      if (!person.erased_at) {
        const able = await whoCanSignIn(client);
        await changeAccess(x, (access) => retireUser(access, id, able));
        await erase(client, person);
        await tell(client, x.meta, { type: 'UserErased', data: { userId: id } });
      }
      return { body: { id } };
    }),
  unkept,
);

export function userRoutes({ commands, passwordRules, post }: UserDependencies): Route[] {
  const create = createUser(post);
  const onUser = {
    deactivate,
    reactivate,
    unlock: unlockUser,
    'require-password-change': requirePasswordChange,
    'end-sessions': endAllSessions,
    'release-email': releaseEmailAddress,
    erase: eraseUser,
  };
  commands.register([create, changeUser, ...Object.values(onUser)]);
  const administrator = { administrator: true } as const;
  return [
    route('post', '/api/users', administrator, { body: createUserSchema(passwordRules) }, (request) =>
      commands.handle(create, request, { user: request.body }),
    ),
    route('patch', '/api/users/:id', administrator, { body: ChangeUser }, (request) =>
      commands.handle(changeUser, request, {
        id: idParam(request),
        body: request.body,
        ...expectedRevisionOf(request),
      }),
    ),
    ...Object.entries(onUser).map(([verb, definition]) =>
      route('post', `/api/users/:id/${verb}`, administrator, {}, (request) =>
        commands.handle(definition, request, { id: idParam(request) }),
      ),
    ),
  ];
}
