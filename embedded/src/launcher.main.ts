/** Runs the product until Ctrl-C (`npm start`). */
import { isOutOfSpace } from './event-store/storage/disk.ts';
import { prepareLaunch } from './launcher/launcher.ts';
import type { FilledRestore } from './launcher/restore.ts';
import { InvalidSettings, readSettings, type Settings } from './launcher/settings.ts';

const print = (line: string) => console.log(line);
process.stdout.on('error', () => {}); // the terminal may close before this process ends

/** Resolves with the first request to stop. */
const stopRequested = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  // A signal to npm ends the shell between npm and this process, but the shell does not pass the signal on. So a change
  // of the parent process is also a request to stop.
  const parent = process.ppid;
  const stopIfOrphaned = () => process.ppid !== parent && resolve();
  if (process.env['npm_lifecycle_event'] !== undefined) setInterval(stopIfOrphaned, 500).unref();
});

async function main(): Promise<number> {
  const settings = readSettings(process.env);
  for (;;) {
    const end = await runOnce(settings);
    if (typeof end === 'number') return end;
    await end.complete();
  }
}

/** Runs the product until it stops; returns the exit code, or the restore to complete before the product starts again. */
async function runOnce(settings: Settings): Promise<number | FilledRestore> {
  const launch = await prepareLaunch({ settings, env: process.env, print, restores: true });
  let restore: FilledRestore | undefined;
  let exitCode = 0;
  try {
    const running = launch.start().then(() => {
      print('Stop with Ctrl-C.');
      return launch.gaveUp;
    });
    restore = (await Promise.race([running, stopRequested, launch.restoreFilled])) ?? undefined;
    print('\nStopping …');
  } catch (error) {
    console.error(`\n${messageOf(error)}`);
    exitCode = 1;
  }
  await launch.stop(restore);
  if (restore === undefined && exitCode === 0) print('Stopped. All acknowledged changes are stored.');
  return restore ?? exitCode;
}

function messageOf(error: unknown): string {
  if (isOutOfSpace(error)) return 'The disk that holds DATA_DIR is full. Free space on it, then start again.';
  return error instanceof Error ? error.message : String(error);
}

main().then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => {
    const headline = error instanceof InvalidSettings ? 'These settings cannot be used:\n' : '';
    console.error(headline + messageOf(error));
    process.exit(1);
  },
);
