/** Structured logs: one JSON object a line, with the service's name; never personal data or secrets. */
import { pino } from 'pino';

export type Log = ReturnType<typeof createLog>;

const SECRETS = ['password', 'currentPassword', 'newPassword', 'token', 'cookie', 'authorization', 'secret'];

export const createLog = (service: string, level = 'info') =>
  pino({
    level,
    base: { service },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), remove: true },
  });
