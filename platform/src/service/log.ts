/** Structured logs: one JSON object per line, with the name of the service. They never contain personal data or secrets. */
import { type DestinationStream, destination, pino, stdSerializers } from 'pino';

export type Log = ReturnType<typeof createLog>;

const SECRETS = ['password', 'currentPassword', 'newPassword', 'token', 'cookie', 'authorization', 'secret'];

/** Properties of a PostgreSQL error that quote rows and parameters, which may contain names and addresses of people. */
const QUOTING = ['detail', 'where', 'internalQuery'];

function withoutQuotes(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const described = Object.entries(stdSerializers.err(error));
  return Object.fromEntries(described.filter(([name]) => !QUOTING.includes(name)));
}

/**
 * Writes each line before the call returns. A buffered line would be retried forever if the reader of the output has ended, and a service
 * whose supervisor was killed would never end. On the other hand, a slow reader slows the service down.
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
