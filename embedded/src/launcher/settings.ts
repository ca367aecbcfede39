/** Reads the settings of the launcher from the environment. Errors contain the name of the setting. */
import { accessSync, constants } from 'node:fs';
import { resolve } from 'node:path';
import { PASSWORD_MIN_LENGTH } from '@rdm/contracts/constants';
import { passwordSchema } from '@rdm/contracts/identity/identity';
import { passedOnProblems } from '@rdm/platform/config';
import { checkEventStoreAddress } from '@rdm/platform/event-store/event-store-address';
import { LOG_END_EXPECTED, LOG_END_PATTERN } from '@rdm/platform/event-store/log-end';
import { InvalidSigningKey, loadSigningKey, signingKeyProblem } from '@rdm/platform/identity/signing-key';
import { ssoProblems } from '@rdm/platform/identity/sso-settings';

export type Settings = {
  port: number;
  host: string;
  dataDir: string;
  /** If undefined, the password is generated at the first start. */
  adminPassword: string | undefined;
  /** The password of the sample users; if undefined, it is generated at the first start. */
  samplePassword: string | undefined;
  sampleData: boolean;
  /** If undefined, the embedded event store is used. */
  eventStoreUrl: string | undefined;
  /** If undefined, the embedded PostgreSQL is used. */
  databaseUrl: string | undefined;
  /** The file with the key that signs the audit log; if undefined, a file in the data folder. */
  auditSigningKey: string | undefined;
  /**
   * Whether `ACCEPT_LOG_END` is set: the operator accepts the loss of the events after a position. The event store and
   * the projector read the position from the environment themselves.
   */
  acceptsLogEnd: boolean;
  /** The address that browsers use: an origin without a slash at the end. */
  publicUrl: string;
  /** Whether warnings of the parts are also shown on the console. */
  verbose: boolean;
};

export class InvalidSettings extends Error {
  constructor(problems: string[]) {
    super(problems.join('\n'));
    this.name = 'InvalidSettings';
  }
}

/** Throws `InvalidSettings` with a line for each problem. An empty value counts as not set. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const problems: string[] = [];
  const textOf = (name: string) => env[name]?.trim() || undefined;

  function setting<T>(name: string, fallback: T, parse: (text: string) => T | undefined, expected: string): T {
    const text = textOf(name);
    if (text === undefined) return fallback;
    const value = parse(text);
    if (value === undefined) problems.push(`${name} is "${text}", but must be ${expected}.`);
    return value ?? fallback;
  }

  function password(name: string): string | undefined {
    const text = env[name] || undefined;
    if (text === undefined) return undefined;
    const specialCharacter = textOf('PASSWORD_SPECIAL_CHARACTER') !== 'optional';
    const rule = passwordSchema({ minLength: PASSWORD_MIN_LENGTH, specialCharacter });
    const issues = rule.safeParse(text).error?.issues ?? [];
    for (const { message } of issues) problems.push(`${name} cannot be used: ${message}.`);
    return text;
  }

  /** The error does not repeat a refused address, because the address may contain a password. */
  function eventStoreAddress(): string | undefined {
    const text = textOf('EVENTSTORE_URL');
    if (text === undefined) return undefined;
    const checked = checkEventStoreAddress(text);
    if ('address' in checked) return checked.address;
    problems.push(`EVENTSTORE_URL ${checked.problem}.`);
    return undefined;
  }

  function auditSigningKey(): string | undefined {
    const text = textOf('AUDIT_SIGNING_KEY');
    if (text === undefined) return undefined;
    const path = resolve(text);
    try {
      loadSigningKey(path);
    } catch (error) {
      if (!(error instanceof InvalidSigningKey)) throw error;
      problems.push(signingKeyProblem(error));
    }
    return path;
  }

  const port = setting('PORT', 8080, toPort, 'a port number from 1 to 65535');
  const host = setting('HOST', '127.0.0.1', toHost, 'a host name or an address, without a port');
  const settings: Settings = {
    port,
    host,
    dataDir: resolve(textOf('DATA_DIR') ?? '.data'),
    adminPassword: password('ADMIN_PASSWORD'),
    samplePassword: password('SAMPLE_PASSWORD'),
    sampleData: setting('SAMPLE_DATA', true, toSwitch, '"on" or "off"'),
    eventStoreUrl: eventStoreAddress(),
    // Not parsed as a URL, because a connection string may name several hosts.
    databaseUrl: setting(
      'DATABASE_URL',
      undefined,
      toMatching(/^postgres(ql)?:\/\/\S+$/),
      'a connection string such as postgres://user:password@host:5432/database',
    ),
    auditSigningKey: auditSigningKey(),
    acceptsLogEnd: setting('ACCEPT_LOG_END', undefined, toMatching(LOG_END_PATTERN), LOG_END_EXPECTED) !== undefined,
    publicUrl: setting('PUBLIC_URL', ownUrl(host, port), toOrigin, 'an origin such as https://data.example.org'),
    verbose: setting('VERBOSE', false, toSwitch, '"1" or "0"'),
  };
  setting('TRUST_FORWARDED', 'off', toMatching(/^(on|off)$/), '"on" or "off"');
  setting('BACKUP_PASSPHRASE_FILE', undefined, toReadable, 'the path of a file that can be read');
  problems.push(...ssoProblems(env), ...passedOnProblems(env));
  if (problems.length > 0) throw new InvalidSettings(problems);
  return settings;
}

/** Returns an address that a browser on this machine can open. */
export function ownUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

function toPort(text: string): number | undefined {
  const port = Number(text);
  return /^\d+$/.test(text) && port >= 1 && port <= 65_535 ? port : undefined;
}

const toHost = (text: string) => (/^[A-Za-z0-9._-]+$|^[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*$/.test(text) ? text : undefined);

const SWITCH: Record<string, boolean> = { on: true, true: true, '1': true, off: false, false: false, '0': false };
const toSwitch = (text: string) => SWITCH[text.toLowerCase()];

const toMatching = (pattern: RegExp) => (text: string) => (pattern.test(text) ? text : undefined);

function toReadable(text: string): string | undefined {
  try {
    accessSync(text, constants.R_OK);
    return text;
  } catch {
    return undefined;
  }
}

function toOrigin(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, origin, pathname, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && pathname === '/' && search === '' && hash === '' ? origin : undefined;
}
