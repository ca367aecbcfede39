/**
 * The process of the front door, configured by environment variables. At the request of the launcher, the process also
 * runs `query-api`, so that most requests need not be forwarded to another process (docs/decisions/0036).
 */
import type { Server } from 'node:http';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { MessageClasses } from '@rdm/platform/http/listening';
import { setHeapGrowth } from '@rdm/platform/service/heap-growth';
import { createLog } from '@rdm/platform/service/log';
import { stopGracefully } from '@rdm/platform/service/service';
import { z } from 'zod';
import { createFrontDoor } from './front-door/front-door.ts';
import type { Target } from './front-door/target.ts';

// With a slower growth, the buffers of forwarded uploads cause full collections of the heap, which delay other requests.
setHeapGrowth(200);

const Port = z.coerce.number().int().min(1).max(65_535);
const Switch = z.enum(['on', 'off']).transform((value) => value === 'on');
const Address = z.url().transform((text): Target => {
  const { hostname, port } = new URL(text);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 80 };
});
/** The addresses of the instances of a service, separated by commas. */
const Addresses = z
  .string()
  .transform((text) => text.split(',').map((address) => address.trim()))
  .pipe(z.array(Address));

const Settings = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: Port.default(8080),
  /** A second port, on loopback, through which the launcher loads the sample data while the front door is closed. */
  PRIVATE_PORT: Port.optional(),
  PUBLIC_URL: z.url().default('http://127.0.0.1:8080'),
  SSO_ISSUER: z.url().or(z.literal('')).optional(),
  COMMAND_API_URL: Addresses,
  QUERY_API_URL: Addresses,
  PROJECTOR_URL: Addresses.optional(),
  /** Whether another reverse proxy in front of this one sets the caller's address. */
  TRUST_FORWARDED: Switch.default(false),
  /** `closed`: the public port shows only the starting page until the launcher sends `{ type: 'open' }`. */
  DOOR: z.enum(['open', 'closed']).default('open'),
  WEB_FOLDER: z.string().default(fileURLToPath(new URL('../../web/dist', import.meta.url))),
  LOG_LEVEL: z.string().default('info'),
});

const parsed = Settings.safeParse(process.env);
if (!parsed.success) {
  for (const { path, message } of parsed.error.issues) console.error(`${path.join('.')}: ${message}`);
  process.exit(2);
}
const settings = parsed.data;
const log = createLog('front-door', settings.LOG_LEVEL);

const frontDoor = createFrontDoor({
  backends: { 'command-api': settings.COMMAND_API_URL, 'query-api': settings.QUERY_API_URL },
  ...(settings.PROJECTOR_URL && { parts: { projector: settings.PROJECTOR_URL } }),
  onInstance: ({ host, port }, isReady) =>
    isReady
      ? log.info({ host, port }, 'Instance is ready: it receives requests')
      : log.warn({ host, port }, 'Instance is not ready: the ready instances are tried first'),
  webFolder: settings.WEB_FOLDER,
  publicUrl: settings.PUBLIC_URL,
  signInOrigin: settings.SSO_ISSUER ? new URL(settings.SSO_ISSUER).origin : undefined,
  trustForwarded: settings.TRUST_FORWARDED,
  open: settings.DOOR === 'open',
  waitsForReadModels: true,
});

/** Closes query-api if it runs in this process. `answered` resolves when the front door has answered all requests. */
let closeService = async (answered: Promise<void>): Promise<void> => answered;
stopGracefully(log, () => closeService(frontDoor.close()));

const Message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('open') }),
  z.object({ type: z.literal('host-query-api'), script: z.string(), env: z.record(z.string(), z.string()) }),
]);

/** Runs query-api in this process; `script` is its module, which exports `startQueryApi`. */
async function hostQueryApi(script: string, env: NodeJS.ProcessEnv): Promise<void> {
  const { startQueryApi } = (await import(pathToFileURL(script).href)) as {
    startQueryApi(
      environment: NodeJS.ProcessEnv,
      messageClasses: MessageClasses,
    ): Promise<{ server: Server; close(frontDoorAnswered: Promise<void>): Promise<void> }>;
  };
  const service = await startQueryApi(env, frontDoor.messageClasses);
  closeService = service.close;
  frontDoor.hostInProcess('query-api', service.server);
}

process.on('message', (message) => {
  const command = Message.parse(message);
  if (command.type === 'open') return frontDoor.open();
  hostQueryApi(command.script, command.env).catch((error: unknown) => {
    // A failed start cannot be undone: the process exits, and the supervisor restarts both services.
    log.fatal({ err: error }, 'query-api could not be started');
    process.exit(1);
  });
});

const port = await frontDoor.listen(settings.PORT, settings.HOST);
if (settings.DOOR === 'closed' && settings.PRIVATE_PORT !== undefined)
  await frontDoor.listenPrivately(settings.PRIVATE_PORT);
log.info({ port }, 'The front door listens');
process.send?.({ type: 'listening', port });
