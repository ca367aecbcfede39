/** Listens to PostgreSQL notifications on one connection, which reconnects when it is lost. */
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@rdm/platform';
import pg from 'pg';

export type Channel = 'projected' | 'builds' | 'jobs' | 'notified' | 'presence';
const CHANNELS: readonly Channel[] = ['projected', 'builds', 'jobs', 'notified', 'presence'];

export interface Notifications {
  on(channel: Channel, heard: (payload: string) => void): void;
  /** Called after every (re)connection: notifications sent in between were lost. */
  onConnected(heard: () => void): void;
  close(): Promise<void>;
}

const LONGEST_PAUSE_MS = 2_000;

/** Listens until closed; resolves once the first connection is open. */
export async function openNotifications(url: string, log: Log): Promise<Notifications> {
  const heard = new EventEmitter();
  heard.setMaxListeners(50);
  const closing = new AbortController();
  let client: pg.Client | undefined;

  const connect = async () => {
    const fresh = new pg.Client({ connectionString: url, application_name: 'query-api-listener', keepAlive: true });
    const lost = new Promise<void>((resolve) => {
      fresh.once('end', resolve);
      fresh.on('error', () => resolve());
    });
    await fresh.connect();
    fresh.on('notification', ({ channel, payload }) => heard.emit(channel, payload ?? ''));
    for (const channel of CHANNELS) await fresh.query(`LISTEN ${channel}`);
    client = fresh;
    heard.emit('connected');
    // Wrapped in an object: an async function would await a promise that it returns.
    return { lost };
  };

  const keep = async (first: { lost: Promise<void> }) => {
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

  const kept = keep(await connect());
  return {
    on: (channel, listener) => void heard.on(channel, listener),
    onConnected: (listener) => void heard.on('connected', listener),
    async close() {
      closing.abort();
      await client?.end();
      await kept;
    },
  };
}
