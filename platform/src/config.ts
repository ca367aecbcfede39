/** Settings of a service, read once from the environment; a wrong one is named and said how to mend. */
import type { SsoProvider } from '@rdm/contracts';
import { BULK_ANSWER_ROWS, SESSION_ABSOLUTE_HOURS } from '@rdm/contracts';
import { z } from 'zod';
import { checkEventStoreAddress } from './event-store/event-store-address.ts';
import { LOG_END, LOG_END_EXPECTED } from './event-store/log-end.ts';
import { ssoProblems } from './identity/sso-settings.ts';

const Port = z.coerce.number().int().min(0).max(65_535);

/** One address, or several separated by commas: one for each instance of a service. */
const Addresses = z
  .string()
  .transform((text) => text.split(',').map((address) => address.trim()))
  .pipe(z.array(z.url('must be an address such as http://127.0.0.1:8081, or several separated by commas')));

const Settings = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: Port,
  DATABASE_URL: z.string().startsWith('postgres', 'must be a postgres:// address'),
  /** In the form that the official client reads. */
  EVENTSTORE_URL: z.string().transform((text, context) => {
    const checked = checkEventStoreAddress(text);
    if ('address' in checked) return checked.address;
    context.addIssue(checked.problem);
    return z.NEVER;
  }),
  /** Whether that is the embedded event store, which the launcher knows. */
  EVENTSTORE_EMBEDDED: z
    .enum(['on', 'off'])
    .default('off')
    .transform((value) => value === 'on'),
  /** The folder that holds the data, where the services run beside it. */
  DATA_DIR: z.string().optional(),
  /** An operator accepts that the log has lost what lay behind this position. */
  ACCEPT_LOG_END: z.string().regex(LOG_END, `must be ${LOG_END_EXPECTED}`).transform(BigInt).optional(),
  SESSION_SECRET: z.string().min(32, 'must have at least 32 characters'),
  SERVICE_SECRET: z.string().min(32, 'must have at least 32 characters'),
  PUBLIC_URL: z.url('must be an address such as https://reference.example.com').default('http://127.0.0.1:8080'),
  COMMAND_API_URL: Addresses.optional(),
  /** The projectors; the one that leads rebuilds read models for administrators. */
  PROJECTOR_URL: Addresses.optional(),
  ADMIN_PASSWORD: z.string().optional(),
  PASSWORD_SPECIAL_CHARACTER: z.enum(['required', 'optional']).default('required'),
  /** A session ends after so many hours, however active. */
  SESSION_HOURS: z.coerce
    .number()
    .positive()
    .max(24 * 365)
    .default(SESSION_ABSOLUTE_HOURS),
  REGISTRATION: z.enum(['open', 'off']).default('open'),
  /** Where mail is handed over; without it mail is kept for administrators to read. */
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, 'must be an address such as smtp://user:password@mail.example.com:587')
    .optional(),
  MAIL_FROM: z.string().min(3).default('Reference Data Management <no-reply@localhost>'),
  /** The one sign-in provider: OpenID Connect with PKCE, a public client. `ssoProblems` checks the four together. */
  SSO_PROVIDER: z.string().optional(),
  SSO_ISSUER: z.string().optional(),
  SSO_CLIENT_ID: z.string().optional(),
  /** A claim of the id token that names the role of people who sign in for the first time. */
  SSO_ROLE_CLAIM: z.string().min(1).optional(),
  COMPANY_URL: z.url().optional(),
  SUPPORT_EMAIL: z.email().optional(),
  ADMIN_EMAIL: z.email().optional(),
  API_KEY_REQUESTS_PER_MINUTE: z.coerce.number().int().positive().default(6_000),
  /** Decisions on more selected rows than this become a job. */
  BULK_ANSWER_ROWS: z.coerce.number().int().positive().max(BULK_ANSWER_ROWS).default(BULK_ANSWER_ROWS),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});
export type Settings = z.infer<typeof Settings>;

/** Reads the settings, or throws with one line per setting that is missing or wrong. */
export function readSettings(environment: NodeJS.ProcessEnv = process.env): Settings {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = Settings.safeParse(given);
  const problems = ssoProblems(given);
  if (result.success && problems.length === 0) return result.data;
  const lines = [
    ...(result.error?.issues ?? []).map((issue) => `  ${issue.path.join('.')}: ${issue.message}`),
    ...problems.map((problem) => `  ${problem}`),
  ];
  throw new Error(`These settings (environment variables) need attention:\n${lines.join('\n')}`);
}

/** The sign-in provider, where one is set. */
export function ssoProviderOf(settings: Settings): SsoProvider | undefined {
  const { SSO_PROVIDER: name, SSO_ISSUER: issuer, SSO_CLIENT_ID: clientId } = settings;
  return name && issuer && clientId ? { name, issuer, clientId } : undefined;
}
