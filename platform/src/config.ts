/** Reads the settings of a service from the environment. The message for a wrong setting explains how to correct it. */
import type { SsoProvider } from '@rdm/contracts';
import { BULK_ANSWER_ROWS, SESSION_ABSOLUTE_HOURS } from '@rdm/contracts/constants';
import { issueWords, placedWords } from '@rdm/contracts/text/issue-words';
import { z } from 'zod';
import { checkEventStoreAddress } from './event-store/event-store-address.ts';
import { LOG_END_EXPECTED, LOG_END_PATTERN } from './event-store/log-end.ts';
import { ssoProblems } from './identity/sso-settings.ts';

const Port = z.string().pipe(z.coerce.number<string>().int().min(0).max(65_535));

/** One address, or several separated by commas: one for each instance of a service. */
const Addresses = z
  .string()
  .transform((text) => text.split(',').map((address) => address.trim()))
  .pipe(z.array(z.url('must be an address such as http://127.0.0.1:8081, or several separated by commas')));

const Settings = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: Port,
  DATABASE_URL: z.string().startsWith('postgres', 'must be a postgres:// address'),
  /** Whether PostgreSQL is the embedded one, whose processes run on this machine; the launcher sets this. */
  DATABASE_EMBEDDED: z
    .enum(['on', 'off'])
    .default('off')
    .transform((value) => value === 'on'),
  /** The address of the event store in the form that the official client reads. */
  EVENTSTORE_URL: z.string().transform((text, context) => {
    const checked = checkEventStoreAddress(text);
    if ('address' in checked) return checked.address;
    context.addIssue(checked.problem);
    return z.NEVER;
  }),
  /** Whether the event store is the embedded one; the launcher sets this. */
  EVENTSTORE_EMBEDDED: z
    .enum(['on', 'off'])
    .default('off')
    .transform((value) => value === 'on'),
  /** The data folder; unset if the service cannot read it. */
  DATA_DIR: z.string().optional(),
  /** The position at which the operator accepts the log to end, although later events were lost. */
  ACCEPT_LOG_END: z.string().regex(LOG_END_PATTERN, `must be ${LOG_END_EXPECTED}`).transform(BigInt).optional(),
  /** The file with the private key that signs the audit log; without it nothing is signed. */
  AUDIT_SIGNING_KEY: z.string().optional(),
  SESSION_SECRET: z.string().min(32, 'must have at least 32 characters'),
  SERVICE_SECRET: z.string().min(32, 'must have at least 32 characters'),
  PUBLIC_URL: z.url('must be an address such as https://reference.example.com').default('http://127.0.0.1:8080'),
  COMMAND_API_URL: Addresses.optional(),
  /** Addresses of the projectors; the leading one rebuilds read models for administrators. */
  PROJECTOR_URL: Addresses.optional(),
  /** The address of the maintenance process, which makes and verifies backups. */
  MAINTENANCE_URL: z.url('must be an address such as http://127.0.0.1:8084').optional(),
  ADMIN_PASSWORD: z.string().optional(),
  PASSWORD_SPECIAL_CHARACTER: z.enum(['required', 'optional']).default('required'),
  /** Hours after which a session ends, regardless of activity. */
  SESSION_HOURS: z.coerce
    .number()
    .positive()
    .max(24 * 365)
    .default(SESSION_ABSOLUTE_HOURS),
  REGISTRATION: z.enum(['open', 'off']).default('open'),
  /** The mail server. Without it, mail is stored, and administrators can read it. */
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, 'must be an address such as smtp://user:password@mail.example.com:587')
    .optional(),
  MAIL_FROM: z
    .string()
    .regex(
      /^(?:[^<>@\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/,
      'must be an address such as data@example.com, or a name with an address such as Reference data <data@example.com>',
    )
    .default('Reference Data Management <no-reply@localhost>'),
  /**
   * The sign-in provider: OpenID Connect with PKCE, as a public client. `ssoProblems` checks this and the next three
   * settings together.
   */
  SSO_PROVIDER: z.string().optional(),
  SSO_ISSUER: z.string().optional(),
  SSO_CLIENT_ID: z.string().optional(),
  /** A claim of the id token that names the role of people who sign in for the first time. */
  SSO_ROLE_CLAIM: z.string().min(1).optional(),
  COMPANY_URL: z.url().optional(),
  SUPPORT_EMAIL: z.email().optional(),
  ADMIN_EMAIL: z.email().optional(),
  API_KEY_REQUESTS_PER_MINUTE: z.coerce.number().int().positive().default(6_000),
  /** The number of rows above which an undo, or a command over a selection, becomes a job. */
  BULK_ANSWER_ROWS: z.coerce.number().int().positive().max(BULK_ANSWER_ROWS).default(BULK_ANSWER_ROWS),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});
export type Settings = z.infer<typeof Settings>;

/** The names of the settings that services read. */
export const SETTING_NAMES = Object.keys(Settings.shape);

/** Reads the settings; throws with one line per setting that is missing or wrong. */
export function readSettings(environment: NodeJS.ProcessEnv = process.env): Settings {
  const nonEmptyVariables = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = Settings.safeParse(nonEmptyVariables);
  const problems = ssoProblems(nonEmptyVariables);
  if (result.success && problems.length === 0) return result.data;
  const lines = [
    ...(result.error?.issues ?? []).map((issue) => `  ${issue.path.join('.')}: ${issue.message}`),
    ...problems.map((problem) => `  ${problem}`),
  ];
  throw new Error(`These settings (environment variables) need attention:\n${lines.join('\n')}`);
}

/** Settings that the launcher passes on from the operator to the services unchanged. */
const PassedOnSettings = Settings.pick({
  PASSWORD_SPECIAL_CHARACTER: true,
  SESSION_HOURS: true,
  REGISTRATION: true,
  SMTP_URL: true,
  MAIL_FROM: true,
  COMPANY_URL: true,
  SUPPORT_EMAIL: true,
  ADMIN_EMAIL: true,
  API_KEY_REQUESTS_PER_MINUTE: true,
  BULK_ANSWER_ROWS: true,
  LOG_LEVEL: true,
});

/**
 * Returns a sentence for each wrong setting of `PassedOnSettings`. The launcher checks these settings before it starts
 * a service, because a service that refuses a setting would be restarted again and again. The sentences contain no
 * values, which may be passwords.
 */
export function passedOnProblems(environment: NodeJS.ProcessEnv): string[] {
  const nonEmptyVariables = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const { error } = PassedOnSettings.safeParse(nonEmptyVariables, { error: issueWords });
  return (error?.issues ?? []).map(({ path, message }) => {
    const name = path.join('.');
    const words = placedWords(name, message);
    return `${words === message ? `${name} ${message}` : words}.`;
  });
}

/** Returns the sign-in provider; undefined if none is set. */
export function ssoProviderOf(settings: Settings): SsoProvider | undefined {
  const { SSO_PROVIDER: name, SSO_ISSUER: issuer, SSO_CLIENT_ID: clientId } = settings;
  return name && issuer && clientId ? { name, issuer, clientId } : undefined;
}
