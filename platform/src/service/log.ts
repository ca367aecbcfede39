/** Structured logs: one JSON object a line, with the service's name; never personal data or secrets. */
import { type DestinationStream, destination, pino, stdSerializers } from 'pino';

export type Log = ReturnType<typeof createLog>;

const SECRETS = ['password', 'currentPassword', 'newPassword', 'token', 'cookie', 'authorization', 'secret'];

/** What PostgreSQL adds to an error quotes rows and parameters, names and addresses of people among them. */
const QUOTING = ['detail', 'where', 'internalQuery'];

function withoutQuotes(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const told = Object.entries(stdSerializers.err(error));
  return Object.fromEntries(told.filter(([name]) => !QUOTING.includes(name)));
}

/**
 * Each line is written before its call returns: what is left to be written at the end would be tried for ever where nobody
 * reads any more, and a service whose supervisor was killed would never end. Whoever reads slowly is waited for.
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
