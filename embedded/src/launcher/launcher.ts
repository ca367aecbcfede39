/**
 * Runs the whole product on one data directory: locks the directory, and starts, supervises and stops the parts
 * (parts.ts).
 */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { programUrl } from '@rdm/platform/service/programs';
import { completeRestore } from '../maintenance/restore/complete.ts';
import { deferred } from './deferred.ts';
import { type LoadSampleData, prepareFirstStart } from './first-start.ts';
import { endOrphanedProcesses } from './leftovers.ts';
import { lockDirectory } from './lock.ts';
import { misspeltSettings } from './misspelt-settings.ts';
import { isWarning, lastErrorMessage, type PartLog, partLog } from './part-log.ts';
import { hostPartOf, internalPorts, type Plan, PROGRAMS, type Programs, portIn, productParts } from './parts.ts';
import { allocatePorts, tryPort } from './ports.ts';
import { type FilledRestore, openRestores } from './restore.ts';
import { ensureSigningKey, readOrCreateSecrets } from './secrets.ts';
import { statusOf } from './service.ts';
import { ownUrl, type Settings } from './settings.ts';
import { PartGivenUp, type SupervisedPart, type SupervisorEvent, supervise } from './supervisor.ts';

export type LaunchOptions = {
  settings: Settings;
  /** The environment of the services, for their own settings. */
  env: NodeJS.ProcessEnv;
  /** Prints a line for the user. */
  print: (line: string) => void;
  /**
   * The number of instances of command-api, of query-api and of the projector; by default 1 each. With one instance,
   * query-api runs in the process of the front door.
   */
  instances?: number;
  /** Programs that replace those of the product, for tests. */
  programs?: Partial<Programs>;
  sampleDataLoader?: () => Promise<LoadSampleData>;
  /** Returns the pause in milliseconds before a part is started again after `failures` failures in a row. */
  backoff?: (failures: number) => number;
  /** A required part that failed this many times in a row is not started again, unless the disk is full. */
  maxFailures?: number;
  /** Whether the caller completes requested restores, see `restoreFilled`. Needs embedded stores. */
  restores?: boolean;
};

export type Launch = {
  /** The address of the front door on this machine. */
  baseUrl: string;
  eventStoreUrl: string;
  addresses: Plan['addresses'];
  /** Returns the address of the database; empty until the embedded PostgreSQL has started. */
  databaseUrl(): string;
  parts: Record<string, SupervisedPart>;
  /** Resolves when all required parts serve and the front door is open; rejects with a message for the user. */
  start(): Promise<void>;
  /** Rejects, with a message for the user, when the supervisor does not start a part again. */
  gaveUp: Promise<never>;
  /**
   * Resolves when a restore has filled its new stores. The caller must then stop the product and complete the restore.
   */
  restoreFilled: Promise<FilledRestore>;
  /** Stops all parts and unlocks the directory. Cancels a restore that is being prepared, unless it is `restore`. */
  stop(restore?: FilledRestore): Promise<void>;
};

const LAST_LINES = 12;
const WAITING_MESSAGE_INTERVAL_MS = 10_000;

/** Locks the directory and prepares the start; throws, with a message for the user, if that fails. */
export async function prepareLaunch(options: LaunchOptions): Promise<Launch> {
  const { settings, env, print, instances = 1, programs = {}, sampleDataLoader = importSampleDataLoader } = options;
  const { dataDir, host, port } = settings;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const release = lockDirectory(dataDir);
  try {
    const processRecord = await endOrphanedProcesses(join(dataDir, 'processes.json'), print);
    if (await completeRestore(dataDir)) print('Completed the restore of a backup');
    for (const line of misspeltSettings(env)) print(line);
    await checkPort(settings);

    const logs = new Map<string, PartLog>();
    const echo = (name: string) => (line: string) => {
      if (settings.verbose && isWarning(line)) print(`[${name}] ${line}`);
    };
    const logOf = (part: string): PartLog => {
      const name = hostPartOf(instances)[part] ?? part;
      const log = logs.get(name) ?? partLog(join(dataDir, 'logs'), name, echo(name));
      logs.set(name, log);
      return log;
    };

    const secrets = readOrCreateSecrets(dataDir);
    const signingKeyFile = settings.auditSigningKey ?? ensureSigningKey(dataDir);
    const ports: Record<string, number> = await allocatePorts(
      join(dataDir, 'ports.json'),
      internalPorts(instances),
      port,
    );
    const local = (name: string) => ownUrl('127.0.0.1', portIn(ports, name));
    let isFrontDoorOpen = false;
    const restores = openRestores({ settings, env, print, processes: processRecord });
    const isEmbedded = settings.databaseUrl === undefined && settings.eventStoreUrl === undefined;
    let frontDoor = deferred<ChildProcess>();
    const firstStart = prepareFirstStart({
      settings,
      secrets,
      privateUrl: local('private-door'),
      commandApiUrl: local('command-api'),
      address: settings.publicUrl,
      print,
      sampleDataLoader,
    });
    const planned = productParts({
      programs: { ...PROGRAMS, ...programs },
      settings,
      secrets,
      signingKeyFile,
      instances,
      ports,
      env,
      record: processRecord,
      logOf,
      firstStart: firstStart.env,
      isFrontDoorOpen: () => isFrontDoorOpen,
      onMaintenance: options.restores && isEmbedded ? restores.follow : undefined,
      onFrontDoor: (child) => {
        frontDoor.resolve(child);
        child.once('exit', () => {
          frontDoor = frontDoor.renewIfSettled();
        });
      },
      frontDoor: () => frontDoor.promise,
    });
    const supervisor = supervise(planned.parts, {
      stopOrder: planned.stopOrder,
      report: createReporter(print, logOf),
      ...(options.backoff && { backoff: options.backoff }),
      ...(options.maxFailures !== undefined && { maxFailures: options.maxFailures }),
    });
    const baseUrl = ownUrl(host, port);
    const toPrintable = (error: unknown) => (error instanceof PartGivenUp ? explain(error, logOf(error.part)) : error);
    const withExplanation = <T>(outcome: Promise<T>) =>
      outcome.catch((error: unknown) => Promise.reject(toPrintable(error)));
    const gaveUp = withExplanation(supervisor.gaveUp);
    gaveUp.catch(() => {}); // avoids an unhandled rejection; callers await it
    let isStopped = false;

    async function openFrontDoor(): Promise<void> {
      isFrontDoorOpen = true;
      // A front door that the supervisor starts again opens by itself, because `isFrontDoorOpen` is set.
      frontDoor.promise.then(
        (child) => child.send({ type: 'open' }, () => {}),
        () => {},
      );
      // A front door that is not open yet answers 503.
      while (!isStopped && [0, 503].includes(await statusOf(`${baseUrl}/`))) await pause(50);
    }

    return {
      baseUrl,
      eventStoreUrl: planned.eventStoreUrl,
      addresses: planned.addresses,
      databaseUrl: planned.databaseUrl,
      parts: supervisor.parts,
      gaveUp,
      restoreFilled: restores.filled,
      async start() {
        const startedAt = performance.now();
        print(`Starting in ${dataDir}`);
        const waiting = setInterval(() => {
          if (isStopped) return;
          const names = Object.keys(supervisor.parts).filter((name) => supervisor.parts[name]?.isServing === false);
          if (names.length > 0) print(`  still waiting for ${names.join(', ')}; logs are in ${join(dataDir, 'logs')}`);
        }, WAITING_MESSAGE_INTERVAL_MS);
        await withExplanation(supervisor.start()).finally(() => clearInterval(waiting));
        await Promise.race([firstStart.complete(), gaveUp]);
        await Promise.race([openFrontDoor(), gaveUp]);
        print('');
        print(`Ready in ${seconds(performance.now() - startedAt)}: open ${settings.publicUrl}`);
        for (const line of firstStart.signInLines()) print(line);
      },
      async stop(restore) {
        isStopped = true;
        const stopping = Promise.all([supervisor.stop(), restores.stop(restore)]);
        frontDoor.promise.catch(() => {}); // avoids an unhandled rejection if no caller waits
        // Ends waits for the front door, which does not start again.
        frontDoor.reject(new Error('Everything is being stopped'));
        await stopping;
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

async function checkPort({ host, port }: Settings): Promise<void> {
  const problem = await tryPort(port, host);
  if (problem === undefined) return;
  const messages: Record<string, string> = {
    EADDRINUSE: `Port ${port} is in use by another program. Set PORT to a free port, for example: PORT=${port + 1} npm start`,
    EACCES: `This user cannot use port ${port}. Set PORT to a port above 1023, for example: PORT=8080 npm start`,
    EADDRNOTAVAIL: `HOST is "${host}", which is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for all of its addresses.`,
    ENOTFOUND: `HOST is "${host}", which has no address. Use 127.0.0.1, or 0.0.0.0 for all addresses of this machine.`,
  };
  throw new Error(messages[problem] ?? `Port ${port} on ${host} cannot be used (${problem}). Set PORT or HOST.`);
}

function createReporter(print: (line: string) => void, logOf: (part: string) => PartLog) {
  return (event: SupervisorEvent) => {
    if (event.type === 'ready')
      print(`  ${event.part.padEnd(14)}${event.again ? 'again ' : ''}ready after ${seconds(event.tookMs)}`);
    if (event.type === 'stopped') print(`  ${event.part.padEnd(14)}stopped`);
    if (event.type === 'failed') {
      const log = logOf(event.part);
      const reason = lastErrorMessage(log.lastLines(LAST_LINES));
      const why = reason === undefined ? event.why : `${event.why}: ${reason.replace(/\.$/, '')}`;
      print(
        `  ${event.part.padEnd(14)}ended (${why}); starting it again in ${seconds(event.retryMs)}. Log: ${log.path}`,
      );
    }
  };
}

function explain(error: PartGivenUp, log: PartLog): Error {
  const sentence = `${error.message.replace(/\.$/, '')}. Everything is stopped.`;
  if (error.partReportedReason) return new Error(sentence, { cause: error });
  const lines = log.lastLines(LAST_LINES).map((line) => `  ${line}`);
  return new Error([sentence, `The end of ${log.path}:`, ...lines].join('\n'), {
    cause: error,
  });
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;

async function importSampleDataLoader(): Promise<LoadSampleData> {
  const module = (await import(programUrl('embedded/dist/sample-data/sample-data.js').href)) as {
    loadSampleData: LoadSampleData;
  };
  return module.loadSampleData;
}
