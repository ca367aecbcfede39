/** Changing a password, and choosing a new one by the link of a mail, over HTTP. */
import { changePasswordSchema, RequestReset, resetPasswordSchema } from '@rdm/contracts';
import { type ApiRequest, type Route, route } from '@rdm/platform';
import type { IdentityDependencies } from '../sign-in/routes.ts';
import { deviceOf, giveDevice } from '../sign-in/session-response.ts';
import { changePassword } from './password-change.ts';
import { requestReset, resetPassword } from './password-links.ts';

export function passwordRoutes(deps: IdentityDependencies): Route[] {
  const { pool, post, passwordRules } = deps;
  const resetting = ({ access }: Pick<ApiRequest, 'access'>) => ({
    pool,
    post,
    isActive: (userId: number) => access.users.get(userId)?.active === true,
  });
  const flagged = { person: true, whileFlagged: true } as const;
  return [
    route('post', '/api/change-password', flagged, { body: changePasswordSchema(passwordRules) }, async (request) => {
      const { userId, sessionId } = request.principal;
      const { currentPassword, newPassword } = request.body;
      const staying = { sessionId, device: deviceOf(request, deps) };
      await changePassword(pool, { userId, currentPassword, newPassword, staying }, request);
      return { body: { success: true } };
    }),

    // The same answer for everybody: whether there is such an address is nobody's business.
    route('post', '/api/reset-password/request', { public: true }, { body: RequestReset }, async (request) => {
      await requestReset(deps, request.body.email, request);
      return { body: { success: true } };
    }),

    route(
      'post',
      '/api/reset-password',
      { public: true },
      { body: resetPasswordSchema(passwordRules) },
      async (request) => {
        const { token, password } = request.body;
        const chosen = { token, password, device: deviceOf(request, deps) };
        giveDevice(request, deps, await resetPassword(resetting(request), chosen, request));
        return { body: { success: true } };
      },
    ),
  ];
}
