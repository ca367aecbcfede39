/** Starts the command service: connections, background work and the HTTP server, and closes them on a stop signal. */
import { PASSWORD_MIN_LENGTH } from '@rdm/contracts';
import {
  announceReady,
  connectEventStore,
  createApp,
  createLog,
  createMetrics,
  createPool,
  describeStoreProblem,
  InvalidSigningKey,
  listen,
  loadSigningKey,
  migrate,
  openAccess,
  openApiKeyUse,
  openErrorLog,
  openLogProblem,
  pruneErrors,
  readSettings,
  type SigningKey,
  signingKeyProblem,
  stopGracefully,
} from '@rdm/platform';
import { registerSigningKey } from './audit/register-signing-key.ts';
import { startBulkWorker } from './bulk/worker.ts';
import { pruneTranslationRequests } from './crosswalks/missing-mapping-counters.ts';
import { startFileProcess } from './file-imports/file-process.ts';
import { pruneStaged } from './file-imports/staged-files.ts';
import { bootstrap } from './identity/bootstrap.ts';
import { mailSettingsOf } from './identity/mail/mail.ts';
import { relayOutbox } from './identity/outbox-relay.ts';
import { mailRequestedLinks } from './identity/passwords/password-links.ts';
import { deleteExpired } from './identity/retention.ts';
import { routesOf } from './routes.ts';
import { Commands } from './runtime/commands.ts';
import { Pace, projectedPositionReader } from './runtime/pace.ts';
import { repeat } from './runtime/repeat.ts';
import { RowCache } from './runtime/row-cache.ts';
import { Streams } from './runtime/streams.ts';

// Connections.
const settings = readSettings();
const log = createLog('command-api', settings.LOG_LEVEL);
const signingKey = readSigningKey();
const metrics = createMetrics('command-api');
await migrate(settings.DATABASE_URL);
const pool = createPool(settings.DATABASE_URL, { max: 14, name: 'command-api' });
const uploadPool = createPool(settings.DATABASE_URL, {
  max: 2,
  name: 'command-api uploads',
  isLowPriority: settings.DATABASE_EMBEDDED,
});
const errors = openErrorLog({ db: pool, service: 'command-api', log, metrics });
const store = connectEventStore(settings.EVENTSTORE_URL, metrics);
const access = openAccess(store);
const logProblem = openLogProblem(pool);

// The roles and the administrator of the first start, and the registration of the signing key.
const passwordRules = {
  minLength: PASSWORD_MIN_LENGTH,
  specialCharacter: settings.PASSWORD_SPECIAL_CHARACTER === 'required',
};
await bootstrap(pool, store, log, settings.ADMIN_PASSWORD, passwordRules).catch((error: unknown) => {
  const problem = describeStoreProblem(error);
  if (problem === undefined) throw error;
  log.error(problem);
  process.exit(1);
});
let isKeyRegistered = false;
// If the event store takes no appends now, the key is registered later.
await registerKey().catch((error: unknown) => log.warn({ err: error }, 'Could not register the signing key yet'));

// Command execution, and child processes for files.
const now = () => new Date();
const rowCache = new RowCache(pool, log);
const streams = new Streams(store, { rowCache });
const imports = startFileProcess('rows', settings, pool, log);
const reviewedRows = startFileProcess('reviewed', settings, pool, log);
const drafts = startFileProcess('drafts', settings, pool, log);
const pace = new Pace(projectedPositionReader(pool), reviewedRows.recordOtherActivity);
const commands = new Commands({
  pool,
  streams,
  access,
  log,
  pace,
  bulkAnswerRows: settings.BULK_ANSWER_ROWS,
  secret: settings.SESSION_SECRET,
  now,
});

// The HTTP application.
const routes = routesOf({
  commands,
  pool,
  uploadPool,
  streams,
  access,
  settings,
  passwordRules,
  now,
  log,
  wakeImports: imports.wake,
  wakeDrafts: drafts.wake,
  preview: reviewedRows.preview,
  pace,
  signingKey,
});
const apiKeyUse = openApiKeyUse({ db: pool, log, requestsPerMinute: settings.API_KEY_REQUESTS_PER_MINUTE });
const app = createApp(routes, {
  log,
  metrics,
  errors,
  db: pool,
  sessionSecret: settings.SESSION_SECRET,
  serviceSecret: settings.SERVICE_SECRET,
  publicUrl: settings.PUBLIC_URL,
  async access(arrivedAt) {
    await logProblem.require();
    return access.current(arrivedAt);
  },
  apiKeyUse,
  ready: checkReadiness,
});

// Background work.
const bulk = startBulkWorker({ commands, pool, streams, access, log, errors, now });
const background = startBackgroundWork();
const mailRelay = await openConfiguredMailRelay();
// The shutdown does not wait for the mail relay: a mail server may be slow, and an interrupted mail is sent again.
if (mailRelay) repeat('send mail', 1_000, log, () => mailRelay.sendWaiting());

// Serve requests, and close everything in order on a stop signal.
const server = await listen(app, settings.PORT, settings.HOST);
log.info({ port: server.port }, 'Serving');
announceReady(server.port);

stopGracefully(log, async () => {
  await server.close();
  await apiKeyUse.close();
  mailRelay?.close();
  await Promise.all([
    imports.stop(),
    reviewedRows.stop(),
    drafts.stop(),
    bulk.stop(),
    ...background.map((work) => work.stop()),
  ]);
  await errors.flush();
  await store.close();
  await Promise.all([pool.end(), uploadPool.end()]);
});

/** Reads the signing key; undefined if it is not set, and then nothing is signed. */
function readSigningKey(): SigningKey | undefined {
  const { AUDIT_SIGNING_KEY: path } = settings;
  if (path === undefined) {
    log.warn('AUDIT_SIGNING_KEY is not set: the audit log is not signed');
    return undefined;
  }
  try {
    return loadSigningKey(path);
  } catch (error) {
    throw error instanceof InvalidSigningKey ? new Error(signingKeyProblem(error)) : error;
  }
}

async function registerKey(): Promise<void> {
  // Nothing is appended while the log has a problem that an operator must accept first.
  if (signingKey === undefined || isKeyRegistered || (await logProblem.current()) !== undefined) return;
  await registerSigningKey(store, log, signingKey);
  isKeyRegistered = true;
}

async function checkReadiness() {
  return {
    database: await pool.query('SELECT 1').then(
      () => true,
      () => false,
    ),
    log: await access.current().then(
      () => true,
      () => access.problem() ?? false,
    ),
    'event store': (await store.problem()) ?? true,
    appends: (await store.appendProblem()) ?? true,
    history: await logProblem.current().then(
      (problem) => problem ?? true,
      () => false,
    ),
  };
}

function startBackgroundWork() {
  return [
    repeat('finish unanswered commands', 5_000, log, () => commands.recover()),
    repeat('relay the outbox', 500, log, () => relayOutbox(pool, store, log)),
    repeat('mail the requested links', 500, log, async () => {
      const { users } = await access.current();
      return mailRequestedLinks({
        pool,
        mailSettings: mailSettingsOf(settings),
        isActive: (userId) => users.get(userId)?.active === true,
      });
    }),
    ...(signingKey && !isKeyRegistered ? [repeat('register the signing key', 5_000, log, registerKey)] : []),
    repeat('prune answered commands', 3_600_000, log, () => commands.prune()),
    repeat('prune cached rows', 3_600_000, log, () => rowCache.prune()),
    repeat('delete expired data', 3_600_000, log, () => deleteExpired(pool, access)),
    repeat('prune staged files', 3_600_000, log, () => pruneStaged(pool)),
    repeat('prune requests for translations', 3_600_000, log, () => pruneTranslationRequests(pool)),
    repeat('prune errors', 3_600_000, log, () => pruneErrors(pool)),
  ];
}

/** Loads the mail library only if mail is configured. */
async function openConfiguredMailRelay() {
  const { SMTP_URL } = settings;
  if (SMTP_URL === undefined) return undefined;
  const { openMailRelay } = await import('./identity/mail/mail-relay.ts');
  return openMailRelay(pool, { ...settings, SMTP_URL }, log, errors);
}
