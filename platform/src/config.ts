/** Settings of a service, read once from the environment; a wrong one is named and said how to mend. */
import { z } from 'zod';

const Port = z.coerce.number().int().min(0).max(65_535);

const Settings = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: Port,
  DATABASE_URL: z.string().startsWith('postgres', 'must be a postgres:// address'),
  EVENTSTORE_URL: z
    .string()
    .regex(
      /^(esdb|kurrentdb)(\+discover)?:\/\//,
      'must be an esdb:// address, such as esdb://127.0.0.1:2113?tls=false',
    ),
  SESSION_SECRET: z.string().min(32, 'must have at least 32 characters'),
  SERVICE_SECRET: z.string().min(32, 'must have at least 32 characters'),
  PUBLIC_URL: z.url('must be an address such as https://reference.example.com').default('http://127.0.0.1:8080'),
  COMMAND_API_URL: z.url().optional(),
  ADMIN_PASSWORD: z.string().optional(),
  PASSWORD_SPECIAL_CHARACTER: z.enum(['required', 'optional']).default('required'),
  REGISTRATION: z.enum(['open', 'off']).default('open'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});
export type Settings = z.infer<typeof Settings>;

/** Reads the settings, or throws with one line per setting that is missing or wrong. */
export function readSettings(environment: NodeJS.ProcessEnv = process.env): Settings {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = Settings.safeParse(given);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`These settings (environment variables) need attention:\n${lines.join('\n')}`);
}
