/** Listens to PostgreSQL notifications on one connection; connects again when it is lost. */
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@rdm/platform';
import pg from 'pg';

export type Channel = 'projected' | 'builds' | 'jobs' | 'notified' | 'presence';
const CHANNELS: readonly Channel[] = ['projected', 'builds', 'jobs', 'notified', 'presence'];

export interface PostgresNotifications {
  on(channel: Channel, listener: (payload: string) => void): void;
  /**
   * Adds a listener that is called each time a new connection has replaced a lost one. Notifications that were sent in
   * the meantime are lost.
   */
  onConnected(listener: () => void): void;
  close(): Promise<void>;
}

const LONGEST_PAUSE_MS = 2_000;

/** Starts to listen; resolves when the first connection is open, and rejects if it cannot be opened. */
export async function openPostgresNotifications(url: string, log: Log): Promise<PostgresNotifications> {
  const events = new EventEmitter();
  events.setMaxListeners(50);
  const closing = new AbortController();
  let client: pg.Client | undefined;

  const connect = async () => {
    const newClient = new pg.Client({ connectionString: url, application_name: 'query-api-listener', keepAlive: true });
    const connectionLost = new Promise<void>((resolve) => {
      newClient.once('end', resolve);
      newClient.on('error', () => resolve());
    });
    await newClient.connect();
    newClient.on('notification', ({ channel, payload }) => events.emit(channel, payload ?? ''));
    try {
      for (const channel of CHANNELS) await newClient.query(`LISTEN ${channel}`);
    } catch (error) {
      await newClient.end().catch(() => undefined);
      throw error;
    }
    client = newClient;
    events.emit('connected');
    // The promise is wrapped in an object, because an async function would wait for a promise that it returns.
    return { lost: connectionLost };
  };

  const keepConnected = async (first: { lost: Promise<void> }) => {
    let current: { lost: Promise<void> } | undefined = first;
    for (let failures = 0; !closing.signal.aborted; ) {
      await current?.lost;
      if (closing.signal.aborted) return;
      log.warn('Lost the listening connection to Postgres: connecting again');
      await sleep(Math.min(50 * 2 ** failures, LONGEST_PAUSE_MS), undefined, { signal: closing.signal }).catch(
        () => {},
      );
      try {
        current = await connect();
        failures = 0;
      } catch (error) {
        failures += 1;
        current = undefined;
        log.warn({ err: error }, 'Cannot listen to Postgres yet');
      }
    }
  };

  const connectionLoop = keepConnected(await connect());
  return {
    on: (channel, listener) => void events.on(channel, listener),
    onConnected: (listener) => void events.on('connected', listener),
    async close() {
      closing.abort();
      await client?.end();
      await connectionLoop;
    },
  };
}
