/** The lifecycle of a service process: it reports to its supervisor, and stops within a time limit when requested. */
import type { Log } from './log.ts';

const STOP_WITHIN_MS = 10_000;

/**
 * On SIGTERM, on SIGINT or at the end of the supervisor, runs `stop` once and exits. The exit code is 1 if `stop` fails
 * or takes too long.
 */
export function stopGracefully(log: Log, stop: () => Promise<void>): void {
  let isStopping = false;
  const end = (reason: string) => {
    if (isStopping) return;
    isStopping = true;
    log.info({ reason }, 'Stopping');
    const timer = setTimeout(() => {
      log.error('Did not stop in time');
      process.exit(1);
    }, STOP_WITHIN_MS);
    timer.unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'Stopping failed');
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', () => end('SIGTERM'));
  process.once('SIGINT', () => end('SIGINT'));
  if (process.send) process.once('disconnect', () => end('the supervisor is gone'));
}

/** Reports to the supervisor that the service is ready. */
export function announceReady(port: number): void {
  process.send?.({ type: 'ready', port });
}

/** Reports to the supervisor why the service cannot run, so that the supervisor does not restart it. */
export function announceRefusal(reason: string): Promise<void> {
  return new Promise((sent) => {
    if (process.send) process.send({ type: 'refused', reason }, () => sent());
    else sent();
  });
}
