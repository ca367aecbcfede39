/** Describes for an operator why the product cannot use its event store, and what to correct. */

const RIGHTS = 'docs/operations/eventstoredb.md, "The account"';

const CREDENTIALS =
  'The event store refuses the user and password of EVENTSTORE_URL: correct them and use TLS. With tls=false, the client sends no user and no password.';
const MAY_NOT_READ = `The event store does not let the account of EVENTSTORE_URL read $all or a stream of the product: name an account in EVENTSTORE_URL, or grant this right to the account (${RIGHTS}).`;
const MAY_NOT_APPEND = `The event store does not let the account of EVENTSTORE_URL append: grant this right to the account (${RIGHTS}).`;
const NO_NODE =
  'No node of the event store cluster was found: start its nodes, or correct hosts, ports, tls and tlsCAFile in EVENTSTORE_URL.';

/** Matches failures to connect. Broken connections do not match, because the client reconnects. */
const NOT_CONNECTED = /No connection established|Name resolution failed/;

/** Descriptions, each with a pattern for the error message of the client; the first match counts. */
const CONNECTION_PROBLEMS: [RegExp, string][] = [
  [
    /Name resolution failed/,
    'A host name of the event store is unknown here: correct it in EVENTSTORE_URL or, for a cluster, in the addresses that its nodes advertise.',
  ],
  [
    /ECONNREFUSED/,
    'Nothing listens at the address of the event store: start the event store, or correct host and port in EVENTSTORE_URL.',
  ],
  [
    /EHOSTUNREACH|ENETUNREACH|ETIMEDOUT/,
    'The host of the event store cannot be reached: correct the host in EVENTSTORE_URL, or open the network and firewalls for it.',
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
    /Failed to connect|Protocol error|ECONNRESET|disconnected before secure TLS/,
    'The event store closes connections before it answers: remove tls=false from EVENTSTORE_URL if it requires TLS, correct the port, or wait until it has started.',
  ],
];

/** Status codes of gRPC. */
const PERMISSION_DENIED = 7;
const UNAVAILABLE = 14;
const UNAUTHENTICATED = 16;

/**
 * Describes an error of the official client, also as the cause of another error. Returns undefined for other errors,
 * and for errors that need no operator.
 */
export function describeStoreProblem(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, type, message, cause } = error as Error & { code?: unknown; type?: unknown };
  if (code === UNAUTHENTICATED) return CREDENTIALS;
  if (code === PERMISSION_DENIED) return MAY_NOT_READ;
  // The error of a refused batch of appends has no status code.
  if (code === undefined && type === 'access-denied') return MAY_NOT_APPEND;
  if (/^Failed to discover after \d+ attempts/.test(message)) return NO_NODE;
  if (code === UNAVAILABLE && NOT_CONNECTED.test(message)) {
    return CONNECTION_PROBLEMS.find(([pattern]) => pattern.test(message))?.[1];
  }
  return describeStoreProblem(cause);
}

/** The version that the official client reports for a server without GetSupportedMethods. */
const NO_VERSION = 'unknown';
const UPGRADE = 'upgrade it to EventStoreDB 23.10 or later.';

/** Describes a version that is too old; returns undefined for 23.10, later versions and builds without a version. */
export function describeOldStore(version: string): string | undefined {
  if (version === NO_VERSION) return `The event store is too old to report its version: ${UPGRADE}`;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  // Builds without a version report 0.0.0.
  const isOld = major > 0 && (major < 23 || (major === 23 && minor < 10));
  return isOld ? `The event store has version ${major}.${minor}: ${UPGRADE}` : undefined;
}
