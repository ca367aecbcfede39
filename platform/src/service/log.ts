/** Structured logs: one JSON object per line. Removes secrets, and the parts of PostgreSQL errors that quote data. */
import { type DestinationStream, destination, pino, stdSerializers } from 'pino';

export type Log = ReturnType<typeof createLog>;

const SECRETS = ['password', 'currentPassword', 'newPassword', 'token', 'cookie', 'authorization', 'secret'];

/** Properties of a PostgreSQL error that quote rows and parameters, and so can contain personal data. */
const QUOTING = ['detail', 'where', 'internalQuery'];

function withoutQuotes(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const described = Object.entries(stdSerializers.err(error));
  return Object.fromEntries(described.filter(([name]) => !QUOTING.includes(name)));
}

/**
 * Writes synchronously, although a slow reader then slows the service down. With a buffer, pino would retry a line
 * forever after the supervisor was killed, and the service would never end.
 */
const standardOutput = (): DestinationStream => destination({ fd: 1, sync: true });

export const createLog = (service: string, level = 'info', to: DestinationStream = standardOutput()) =>
  pino(
    {
      level,
      base: { service },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), remove: true },
      serializers: { err: withoutQuotes },
    },
    to,
  );
