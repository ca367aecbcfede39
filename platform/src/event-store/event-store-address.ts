/** Checks EVENTSTORE_URL, because the official client prints some invalid addresses together with their password. */
import { accessSync, constants, statSync } from 'node:fs';

/** The address for the client, or a problem. From the address, the problem quotes only names of known options. */
export type CheckedAddress = { address: string } | { problem: string };

const EXAMPLE = 'esdb://127.0.0.1:2113?tls=false';
const ADDRESS = /^(?:esdb|kurrentdb)(?<discover>\+discover)?:\/\/(?<server>[^?]*)(?:\?(?<options>.*))?$/s;
/** Matches the hosts that the client accepts: ASCII names and IPv4 addresses. */
const HOST = /^[\w.-]+$/;
const CREDENTIALS = /^[^:\s]+:[^:\s]+$/;
/** The longest timer of Node.js in milliseconds; a longer timer fires at once. */
const TIMER_MAX = 2_147_483_647;

interface Rule {
  takes(value: string): boolean;
  expected: string;
}

const SWITCH: Rule = { takes: (value) => /^(true|false)$/.test(value), expected: 'true or false' };
const COUNT: Rule = { takes: isCount, expected: `a whole number from 1 to ${TIMER_MAX}` };
const INTERVAL: Rule = {
  takes: (value) => value === '-1' || isCount(value),
  expected: `-1, which turns it off, or a whole number of milliseconds from 1 to ${TIMER_MAX}`,
};
const FILE: Rule = {
  takes: (value) => isReadableFile(decodePercent(value)),
  expected: `a file that exists and can be read (a relative path starts at ${process.cwd()})`,
};

/** The options that the client knows. */
const OPTIONS: Record<string, Rule> = {
  tls: SWITCH,
  tlsCAFile: FILE,
  userCertFile: FILE,
  userKeyFile: FILE,
  // The client ignores "false", and prints the address in a warning.
  tlsVerifyCert: onlyTrue('to trust a certificate, name its CA with tlsCAFile'),
  // With "false", the client reports a failed append as successful.
  throwOnAppendFailure: onlyTrue('the product has to know which appends failed'),
  connectionName: {
    // Each call sends the name in a header, which allows only these characters.
    takes: (value) => /^[ -~]+$/.test(decodePercent(value) ?? ''),
    expected: 'a name of printable ASCII characters, with "@", "?", "&" and "%" percent-encoded',
  },
  nodePreference: {
    takes: (value) => /^(leader|follower|readonlyreplica|random)$/.test(normaliseOption(value)),
    expected: 'leader, follower, read_only_replica or random',
  },
  maxDiscoverAttempts: COUNT,
  discoveryInterval: COUNT,
  gossipTimeout: COUNT,
  defaultDeadline: COUNT,
  keepAliveInterval: INTERVAL,
  keepAliveTimeout: INTERVAL,
};
const OPTION_NAMES = new Map(Object.keys(OPTIONS).map((name) => [normaliseOption(name), name]));

export function checkEventStoreAddress(text: string): CheckedAddress {
  const { discover, server, options } = ADDRESS.exec(text.trim())?.groups ?? {};
  if (server === undefined) return { problem: `must be an esdb:// or kurrentdb:// address, such as ${EXAMPLE}` };
  if (/@.*@/s.test(server) || /[@?]/.test(options ?? '')) {
    return { problem: 'has an "@" or a "?" too many: in user, password and options, write them as %40 and %3F' };
  }
  const [credentials, hostList = ''] = server.includes('@') ? server.split('@') : [undefined, server];
  const hosts = hostList
    .replace(/\/+$/, '')
    .split(',')
    .map((host) => host.trim());
  const problem = credentialsProblem(credentials) ?? hostsProblem(hosts) ?? optionsProblem(options);
  if (problem !== undefined) return { problem };
  // With "+discover", the client would use only the first of several hosts.
  const protocol = discover !== undefined && hosts.length === 1 ? 'esdb+discover' : 'esdb';
  const user = credentials === undefined ? '' : `${credentials}@`;
  return { address: `${protocol}://${user}${hosts.join(',')}${options === undefined ? '' : `?${options}`}` };
}

function credentialsProblem(credentials: string | undefined): string | undefined {
  if (credentials === undefined) return undefined;
  if (CREDENTIALS.test(credentials) && decodePercent(credentials) !== undefined) return undefined;
  return 'must have user:password before the "@": in both, write ":", "%" and blanks as %3A, %25 and %20';
}

function hostsProblem(hosts: string[]): string | undefined {
  for (const host of hosts) {
    const [name = '', port = '2113', ...more] = host.split(':');
    if (name === '') return `has no host where one is needed: write it as in ${EXAMPLE}`;
    if (!HOST.test(name) || more.length > 0) {
      return 'has a host that the client cannot read: write a host name or an IPv4 address, and commas between several';
    }
    if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
      return 'has a port that is not a number from 1 to 65535: correct it, or omit it to use port 2113';
    }
  }
  return undefined;
}

function optionsProblem(options: string | undefined): string | undefined {
  const usedOptions = new Set<string>();
  for (const [index, option] of (options?.split('&') ?? []).entries()) {
    const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(option) ?? [];
    const name = OPTION_NAMES.get(normaliseOption(key));
    const rule = name === undefined ? undefined : OPTIONS[name];
    if (name === undefined || rule === undefined) {
      const knownNames = [...OPTION_NAMES.values()].join(', ');
      return `has an unknown option, number ${index + 1} after the "?": correct or remove it (known are ${knownNames}, each as name=value)`;
    }
    if (!rule.takes(value.trim())) return `has a wrong value for ${name}: it must be ${rule.expected}`;
    usedOptions.add(name);
  }
  if (usedOptions.has('userCertFile') === usedOptions.has('userKeyFile')) return undefined;
  return 'has only one of userCertFile and userKeyFile: set both, or neither';
}

function onlyTrue(reason: string): Rule {
  return { takes: (value) => value === 'true', expected: `true, or left out: ${reason}` };
}

function isCount(value: string): boolean {
  return /^[1-9]\d{0,9}$/.test(value) && Number(value) <= TIMER_MAX;
}

function isReadableFile(path: string | undefined): boolean {
  try {
    if (path === undefined) return false;
    accessSync(path, constants.R_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Decodes a text; undefined if a "%" begins no percent-encoded character. */
function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Normalises the name of an option, or a node preference, in the same way as the client. */
function normaliseOption(name: string): string {
  return name.trim().toLowerCase().replace(/[_-]/g, '');
}
