/** Caches the serving build of each projection, with its schema and its position. */
import type { Log, Pool } from '@rdm/platform';
import type { PostgresNotifications } from './postgres-notifications.ts';

export interface ServingBuild {
  schema: string;
  /** Commit position that the build had reached at the last reload. */
  position: bigint;
  seq: number;
  detached: boolean;
}

export interface Builds {
  /** Whether the builds have ever reached the end of the log; until then, no build serves. */
  isComplete(): boolean;
  serving(name: string): ServingBuild | undefined;
  names(): string[];
  /** Reads the builds again. Calls during a reload share the next reload, because the running one may miss a change. */
  reload(): Promise<void>;
  /** Reloads now and after every projected batch; calls `onReload` after each reload. Returns a function to stop. */
  watch(onReload: () => void): () => void;
  close(): void;
}

const RELOAD_EVERY_MS = 5_000;

export async function openBuilds(pool: Pool, notifications: PostgresNotifications, log: Log): Promise<Builds> {
  let serving = new Map<string, ServingBuild>();
  let isComplete = false;
  const watchers = new Set<() => void>();
  let running: Promise<void> | undefined;
  let nextReload: Promise<void> | undefined;

  const readBuilds = async () => {
    const { rows: readers } = await pool.query('SELECT complete FROM platform.reader');
    isComplete = readers[0]?.complete === true;
    const { rows } = await pool.query(
      `SELECT name, schema_name, commit_position, seq, state = 'DETACHED' AS detached
         FROM platform.builds WHERE serving`,
    );
    serving = new Map(
      (isComplete ? rows : []).map((row) => [
        row.name as string,
        { schema: row.schema_name, position: BigInt(row.commit_position), seq: row.seq, detached: row.detached },
      ]),
    );
    for (const watcher of [...watchers]) watcher();
  };

  const reload = (): Promise<void> => {
    if (!running) {
      running = readBuilds().finally(() => {
        running = undefined;
      });
      return running;
    }
    nextReload ??= running
      .catch(() => undefined)
      .then(() => {
        nextReload = undefined;
        return reload();
      });
    return nextReload;
  };
  const reloadSoon = () => {
    reload().catch((error: unknown) => log.warn({ err: error }, 'The serving builds could not be read'));
  };

  notifications.on('builds', reloadSoon);
  notifications.onConnected(reloadSoon);
  notifications.on('projected', () => {
    if (watchers.size > 0) reloadSoon();
  });
  const timer = setInterval(reloadSoon, RELOAD_EVERY_MS);
  timer.unref();
  await reload();

  return {
    isComplete: () => isComplete,
    serving: (name) => serving.get(name),
    names: () => [...serving.keys()],
    reload,
    watch(onReload) {
      watchers.add(onReload);
      reloadSoon();
      return () => watchers.delete(onReload);
    },
    close: () => clearInterval(timer),
  };
}
