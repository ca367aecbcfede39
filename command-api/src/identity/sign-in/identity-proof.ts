/**
 * Requires users to prove again who they are before an action: by their password, or by a new sign-in at their
 * provider. An open session alone does not suffice, because someone else may sit at the unlocked computer.
 */
import { type IdentityProof, Refusal } from '@rdm/contracts';
import { FRESH_SIGN_IN_SECONDS } from '@rdm/contracts/identity/single-sign-on';
import type { ApiRequest, Log, Pool } from '@rdm/platform';
import { requireOwnPassword } from '../passwords/password-change.ts';
import type { VaultUser } from '../vault.ts';
import { codeVerifierOf, takeToken } from './sso.ts';
import { type TokenVerifier, UnverifiedToken } from './sso-tokens.ts';

/** Throws a refusal if the proof is missing, wrong, too old or already used, or after too many wrong passwords. */
export type RequireIdentity = (
  request: Pick<ApiRequest, 'principal' | 'raw' | 'requestId'>,
  proof: IdentityProof,
) => Promise<void>;

const signInAgain = (why: string) => new Refusal('SIGN_IN_AGAIN', why);

/** `tokens` verifies tokens of the sign-in provider. Without `tokens`, users of a provider are refused. */
export function createIdentityProof(
  pool: Pool,
  tokens: TokenVerifier | undefined,
  log: Log,
  now: () => Date,
): RequireIdentity {
  return async (request, { password, id_token: idToken }) => {
    const { userId } = request.principal;
    const { rows } = await pool.query<VaultUser>('SELECT * FROM identity.users WHERE id = $1', [userId]);
    const user = rows[0];
    if (user?.auth_provider === 'local') return requireOwnPassword(pool, user, password);
    if (user === undefined || tokens === undefined) throw signInAgain('Sign out and in again');
    if (idToken === undefined) throw signInAgain('Sign in at your provider again, then repeat this');
    const token = await tokens.verify(idToken, codeVerifierOf(request)).catch((error: unknown) => {
      if (!(error instanceof UnverifiedToken)) throw error;
      log.warn({ requestId: request.requestId, why: error.message }, 'An id_token was refused');
      throw signInAgain('The sign-in could not be verified. Please begin again.');
    });
    if (token.subject !== user.okta_id) {
      throw signInAgain('You signed in with another account. Use the account of this session.');
    }
    const { auth_time: signedInAt } = token.claims;
    if (typeof signedInAt !== 'number') {
      throw signInAgain('The sign-in provider does not report when you signed in. Ask an administrator for help.');
    }
    if (now().getTime() / 1_000 - signedInAt > FRESH_SIGN_IN_SECONDS) {
      throw signInAgain('You signed in too long ago. Sign in at your provider again, then repeat this');
    }
    if (!(await takeToken(pool, token)))
      throw signInAgain('Sign in at your provider again: each sign-in confirms one action');
  };
}
