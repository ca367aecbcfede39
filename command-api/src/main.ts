/** The command side: decides what may happen and appends it to the log. */
import { PASSWORD_MIN_LENGTH } from '@rdm/contracts';
import {
  announceReady,
  connectEventStore,
  createApp,
  createLog,
  createMetrics,
  createPool,
  listen,
  migrate,
  openAccess,
  type Route,
  readSettings,
  route,
  stopGracefully,
} from '@rdm/platform';
import { z } from 'zod';
import { approvalRoutes } from './approvals/routes.ts';
import { collectionRoutes } from './collections/routes.ts';
import { Commands } from './commands.ts';
import { reviewHeaderItems, reviewMappingItems } from './crosswalks/commands.ts';
import { crosswalkRoutes } from './crosswalks/routes.ts';
import { dataSetRoutes } from './data-sets/routes.ts';
import { bootstrap } from './identity/bootstrap.ts';
import { relayOutbox } from './identity/relay.ts';
import { forget } from './identity/retention.ts';
import { identityRoutes } from './identity/routes.ts';
import { rememberRequest } from './identity/vault.ts';
import { readingFor } from './imports/reading.ts';
import { importRoutes } from './imports/routes.ts';
import { pruneStaged } from './imports/staged-files.ts';
import { startImportThread } from './imports/thread.ts';
import { referenceTypeRoutes } from './reference-types/routes.ts';
import { relationshipRoutes } from './relationships/routes.ts';
import { repeat } from './repeat.ts';
import { Streams } from './streams.ts';

const settings = readSettings();
const log = createLog('command-api', settings.LOG_LEVEL);
const metrics = createMetrics('command-api');
await migrate(settings.DATABASE_URL);
const pool = createPool(settings.DATABASE_URL, { max: 16, name: 'command-api' });
const store = connectEventStore(settings.EVENTSTORE_URL);
const access = openAccess(store);
const passwordRules = {
  minLength: PASSWORD_MIN_LENGTH,
  specialCharacter: settings.PASSWORD_SPECIAL_CHARACTER === 'required',
};

await bootstrap(pool, store, log, settings.ADMIN_PASSWORD, passwordRules);

const streams = new Streams(store);
const now = () => new Date();
const commands = new Commands({ pool, streams, access, log, secret: settings.SESSION_SECRET, now });
const imports = startImportThread(settings, log);

const identity = {
  commands,
  pool,
  sessionSecret: settings.SESSION_SECRET,
  publicUrl: settings.PUBLIC_URL,
  passwordRules,
};

/** The launcher flags a generated password for change once the sample data is loaded with it. */
const finishBootstrap = route(
  'post',
  '/internal/bootstrap/finish',
  { service: true },
  { body: z.object({ requirePasswordChange: z.boolean() }) },
  async ({ body }) => {
    await pool.query('UPDATE identity.users SET require_password_change = $1 WHERE id = 1', [
      body.requirePasswordChange,
    ]);
    return { status: 204 };
  },
);

/** Every write leaves a trace of where it came from, beside the log. */
const traced = (declared: Route): Route =>
  'service' in declared.access
    ? declared
    : {
        ...declared,
        handle: async (request) => {
          await rememberRequest(pool, (request as { requestId: string }).requestId, request);
          return declared.handle(request);
        },
      };

const routes: Route[] = [
  ...identityRoutes(identity),
  ...referenceTypeRoutes(commands),
  ...dataSetRoutes(commands),
  ...relationshipRoutes(commands),
  ...crosswalkRoutes(commands, pool),
  ...collectionRoutes(commands),
  ...importRoutes({
    commands,
    pool,
    reading: (userId) => readingFor(userId, { streams, access, pool, now }),
    wake: imports.wake,
  }),
  ...approvalRoutes(commands, { crosswalk: reviewHeaderItems, mapping: reviewMappingItems }),
  finishBootstrap,
].map(traced);

const app = createApp(routes, {
  log,
  metrics,
  db: pool,
  sessionSecret: settings.SESSION_SECRET,
  serviceSecret: settings.SERVICE_SECRET,
  publicUrl: settings.PUBLIC_URL,
  access: () => access.current(),
  ready: async () => ({
    database: await pool.query('SELECT 1').then(
      () => true,
      () => false,
    ),
    log: await access.current().then(
      () => true,
      () => false,
    ),
  }),
});

const background = [
  repeat('finish unanswered commands', 5_000, log, () => commands.sweep()),
  repeat('relay the outbox', 500, log, () => relayOutbox(pool, store)),
  repeat('prune answered commands', 3_600_000, log, () => commands.prune()),
  repeat('forget what is past its time', 3_600_000, log, () => forget(pool)),
  repeat('prune staged files', 3_600_000, log, () => pruneStaged(pool)),
];

const server = await listen(app, settings.PORT, settings.HOST);
log.info({ port: server.port }, 'Serving');
announceReady(server.port);

stopGracefully(log, async () => {
  await server.close();
  await Promise.all([imports.stop(), ...background.map((work) => work.stop())]);
  await store.close();
  await pool.end();
});
