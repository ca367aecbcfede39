/** Describes for an operator what keeps the product from using its event store, and the remedy. */

const RIGHTS = 'docs/operations/eventstoredb.md, "The account"';

const CREDENTIALS =
  'The event store refuses the user and password of EVENTSTORE_URL: correct them, and give them over TLS, as with tls=false the client sends neither.';
const MAY_NOT_READ = `The event store does not let the account of EVENTSTORE_URL read $all or a stream of the product: grant it that right (${RIGHTS}).`;
const MAY_NOT_APPEND = `The event store does not let the account of EVENTSTORE_URL append: grant it that right (${RIGHTS}).`;
const NO_NODE =
  'No node of the event store cluster was found: start its nodes, or correct hosts, ports, tls and tlsCAFile in EVENTSTORE_URL.';

/** What a connection that could not be made says of the reason; the first match counts. */
const CONNECTION_PROBLEMS: [RegExp, string][] = [
  [
    /Name resolution failed|ENOTFOUND|EAI_AGAIN/,
    'A host name of the event store is unknown here: correct it in EVENTSTORE_URL or, for a cluster, in the addresses that its nodes advertise.',
  ],
  [
    /ECONNREFUSED/,
    'Nothing listens at the address of the event store: start the event store, or correct host and port in EVENTSTORE_URL.',
  ],
  [
    /EHOSTUNREACH|ENETUNREACH|ETIMEDOUT/,
    'The host of the event store cannot be reached: correct it in EVENTSTORE_URL, or open the network and its firewalls for it.',
  ],
  [
    /certificate's altnames/,
    'The certificate of the event store names other hosts: use one of them in EVENTSTORE_URL, or make a certificate for this host.',
  ],
  [
    /certificate (has expired|is not yet valid)/,
    'The certificate of the event store is not valid at this time: renew it, or correct the clock of this machine.',
  ],
  [
    /self[- ]signed certificate|unable to (verify the first|get (local )?issuer) certificate/,
    'The certificate of the event store is not trusted here: name the file of the CA that signed it as tlsCAFile in EVENTSTORE_URL.',
  ],
  [
    /wrong version number|packet length too long/,
    'The event store answers without TLS: add tls=false to EVENTSTORE_URL, or give the event store a certificate.',
  ],
  [
    /Failed to connect|Protocol error/,
    'The event store closes connections before it answers: remove tls=false from EVENTSTORE_URL if it requires TLS, correct the port, or wait until it has started.',
  ],
];

/** gRPC's status codes. */
const PERMISSION_DENIED = 7;
const UNAVAILABLE = 14;
const UNAUTHENTICATED = 16;

/** Takes what the official client throws, also as the cause of another error; undefined for what is not known or passes by itself. */
export function describeStoreProblem(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, type, message, cause } = error as Error & { code?: unknown; type?: unknown };
  if (code === UNAUTHENTICATED) return CREDENTIALS;
  if (code === PERMISSION_DENIED) return MAY_NOT_READ;
  // Of a batch of appends the client keeps no status code.
  if (code === undefined && type === 'access-denied') return MAY_NOT_APPEND;
  if (/^Failed to discover after -?\d+ attempts/.test(message)) return NO_NODE;
  if (code === UNAVAILABLE) return CONNECTION_PROBLEMS.find(([pattern]) => pattern.test(message))?.[1];
  return describeStoreProblem(cause);
}

/** What the official client says of a server without GetSupportedMethods. */
const NO_VERSION = 'unknown';

/** Takes the version that GetSupportedMethods answers; undefined for 23.10 and later, and for builds without a version. */
export function describeOldStore(version: string): string | undefined {
  const [, major = '0', minor = '0'] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  const isOld = Number(major) < 23 || (Number(major) === 23 && Number(minor) < 10);
  // Builds without a version answer 0.0.0.
  if (version !== NO_VERSION && (Number(major) === 0 || !isOld)) return undefined;
  const found = version === NO_VERSION ? 'too old to tell its version' : `of version ${major}.${minor}`;
  return `The event store is ${found}: upgrade it to EventStoreDB 23.10 or later.`;
}
