/** Routes for changing a password and for resetting it by a mailed link. */

import { changePasswordSchema, RequestReset, resetPasswordSchema } from '@rdm/contracts';
import { type ApiRequest, type Route, route } from '@rdm/platform';
import { SUCCESS } from '../../runtime/answer-schemas.ts';
import type { IdentityDependencies } from '../sign-in/routes.ts';
import { deviceTokenOf, setDeviceCookie } from '../sign-in/session-response.ts';
import { changePassword } from './password-change.ts';
import { requestReset, resetPassword } from './password-links.ts';

export function passwordRoutes(deps: IdentityDependencies): Route[] {
  const { pool, mailSettings, passwordRules } = deps;
  const resetDependencies = ({ access }: Pick<ApiRequest, 'access'>) => ({
    pool,
    mailSettings,
    isActive: (userId: number) => access.users.get(userId)?.active === true,
  });
  return [
    route(
      'post',
      '/api/change-password',
      { person: true, beforePasswordChange: true },
      {
        summary: 'Change your own password',
        example: { body: { currentPassword: 'Old-password-1', newPassword: 'New-password-1' } },
        answers: { 200: SUCCESS },
        errors: ['LOCKED_OUT'],
        body: changePasswordSchema(passwordRules),
      },
      async (request) => {
        const { userId, sessionId } = request.principal;
        const { currentPassword, newPassword } = request.body;
        const browser = { sessionId, device: deviceTokenOf(request, deps) };
        await changePassword(pool, { userId, currentPassword, newPassword, browser }, request);
        return { body: { success: true } };
      },
    ),

    // The answer must not reveal whether the address exists.
    route(
      'post',
      '/api/reset-password/request',
      { public: true },
      {
        summary: 'Request a link to reset a password',
        example: { body: { email: 'steward@example.com' } },
        answers: { 200: SUCCESS },
        body: RequestReset,
      },
      async (request) => {
        await requestReset(deps, request.body.email, request);
        return { body: { success: true } };
      },
    ),

    route(
      'post',
      '/api/reset-password',
      { public: true },
      {
        summary: 'Reset a password with the token from the reset link',
        example: {
          body: { token: 'the-token-of-the-link', password: 'New-password-1', confirmPassword: 'New-password-1' },
        },
        answers: { 200: SUCCESS },
        body: resetPasswordSchema(passwordRules),
      },
      async (request) => {
        const { token, password } = request.body;
        const reset = { token, password, device: deviceTokenOf(request, deps) };
        setDeviceCookie(request, deps, await resetPassword(resetDependencies(request), reset, request));
        return { body: { success: true } };
      },
    ),
  ];
}
