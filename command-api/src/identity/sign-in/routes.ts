/** Routes for registration, sign-in, sign-out and session activity. */

import { CurrentUser, Login, type PasswordRules, Refusal, registerSchema } from '@rdm/contracts';
import {
  type Access,
  type ApiAnswer,
  type ApiRequest,
  type Pool,
  type Route,
  route,
  type Settings,
} from '@rdm/platform';
import { SUCCESS } from '../../runtime/answer-schemas.ts';
import type { Commands } from '../../runtime/commands.ts';
import type { MailSettings } from '../mail/mail.ts';
import { register, signInRegistered } from '../users/registration.ts';
import { endSession, recordActivity } from '../vault.ts';
import {
  type Cookies,
  clearSessionCookie,
  currentUser,
  deviceTokenOf,
  setDeviceCookie,
  setSessionCookie,
} from './session-response.ts';
import { type SignedIn, signIn } from './sign-in.ts';
import { networkOf, REGISTRATIONS_FROM_ADDRESS, requireWithinLimit } from './throttle.ts';

export interface IdentityDependencies extends Cookies {
  commands: Commands;
  pool: Pool;
  access: Access;
  passwordRules: PasswordRules;
  registration: Settings['REGISTRATION'];
  mailSettings: MailSettings;
}

/** Sets the cookies and returns the signed-in user. */
async function answerSignedIn(
  deps: IdentityDependencies,
  request: Pick<ApiRequest, 'response'>,
  { userId, sessionId, device }: SignedIn,
): Promise<ApiAnswer> {
  const body = await currentUser(deps.pool, await deps.access.current(), userId);
  setSessionCookie(request, deps, sessionId);
  setDeviceCookie(request, deps, device);
  return { body };
}

export function identityRoutes(deps: IdentityDependencies): Route[] {
  const { commands, pool } = deps;
  commands.register([register]);
  return [
    route(
      'post',
      '/api/login',
      { public: true },
      {
        summary: 'Sign in with a name and a password',
        example: { body: { username: 'steward', password: 'A-password-1' } },
        answers: { 200: CurrentUser },
        errors: ['UNAUTHENTICATED', 'LOCKED_OUT'],
        body: Login,
      },
      async (request) => {
        const isActive = (userId: number) => request.access.users.get(userId)?.active === true;
        const attempt = { ...request.body, device: deviceTokenOf(request, deps) };
        return answerSignedIn(
          deps,
          request,
          await signIn(
            { pool, secret: deps.sessionSecret, sessionHours: deps.sessionHours, isActive },
            attempt,
            request,
          ),
        );
      },
    ),

    deps.registration === 'open' ? registration(deps) : noRegistration,

    route(
      'post',
      '/api/logout',
      { person: true, beforePasswordChange: true },
      { summary: 'Sign out', answers: { 200: SUCCESS } },
      async (request) => {
        await endSession(pool, request.principal.sessionId);
        clearSessionCookie(request, deps);
        return { body: { success: true } };
      },
    ),

    route(
      'post',
      '/api/session/heartbeat',
      { person: true },
      { summary: 'Report that the user is active', answers: { 204: null } },
      async (request) => {
        await recordActivity(pool, request.principal.sessionId);
        return { status: 204 };
      },
    ),
  ];
}

const REGISTRATION = {
  summary: 'Register as a new user',
  example: { body: { email: 'noor@example.com', password: 'A-password-1', confirmPassword: 'A-password-1' } },
  answers: { 200: CurrentUser, 201: CurrentUser },
  errors: ['NAME_TAKEN', 'NOT_FOUND', 'UNAUTHENTICATED', 'IDEMPOTENCY_KEY_REUSED'],
} as const;

const registration = (deps: IdentityDependencies): Route =>
  route(
    'post',
    '/api/register',
    { public: true },
    {
      ...REGISTRATION,
      example: { body: { email: 'noor@example.com', password: 'A-password-1', confirmPassword: 'A-password-1' } },
      body: registerSchema(deps.passwordRules),
    },
    async (request) => {
      const { pool, commands, sessionSecret } = deps;
      const { body: person, idempotencyKey, requestId, correlationId, sourceType } = request;
      await requireWithinLimit(pool, sessionSecret, REGISTRATIONS_FROM_ADDRESS, networkOf(request.ipAddress));
      const by = { actorId: null, requestId, correlationId, sourceType };
      const registered = await commands.runAs(register, `register:${idempotencyKey}`, { person }, by);
      const { id } = registered.body as { id: number };
      const signedIn = await signInRegistered(
        pool,
        { id, password: person.password, device: deviceTokenOf(request, deps), sessionHours: deps.sessionHours },
        request,
      );
      return { ...(await answerSignedIn(deps, request, signedIn)), status: 201, position: registered.position };
    },
  );

/** Answers 404 to every request while registration is turned off. */
const noRegistration: Route = route('post', '/api/register', { public: true }, REGISTRATION, () =>
  Promise.reject(new Refusal('NOT_FOUND', 'Registration is turned off. Ask an administrator for an account.')),
);
