/** The configuration of the sign-in page. */
import { AuthConfig, PASSWORD_MIN_LENGTH } from '@rdm/contracts';
import { type Route, route, type Settings, ssoProviderOf } from '@rdm/platform';
import type { QueryContext } from '../query-context.ts';

/** Returns the public configuration. Single sign-on needs no secret, because it uses PKCE and a public client. */
export function authConfigOf(settings: Settings): AuthConfig {
  const provider = ssoProviderOf(settings);
  return {
    providers: provider ? [provider] : [],
    registration: settings.REGISTRATION,
    passwordRules: {
      minLength: PASSWORD_MIN_LENGTH,
      specialCharacter: settings.PASSWORD_SPECIAL_CHARACTER === 'required',
    },
    companyUrl: settings.COMPANY_URL ?? null,
    supportEmail: settings.SUPPORT_EMAIL ?? null,
    adminEmail: settings.ADMIN_EMAIL ?? null,
  };
}

export const signInRoutes = ({ settings }: QueryContext): Route[] => [
  route(
    'get',
    '/api/auth/config',
    { public: true },
    { summary: 'Read what the sign-in page offers', answers: { 200: AuthConfig } },
    async () => ({ body: authConfigOf(settings) }),
  ),
];
