/** Limits how long the monitor and the diagnostics wait for the event store and the disk. */

/** After this time, the event store is shown as down, and other values as unknown. */
const ANSWER_TIMEOUT_MS = 2_000;

/** Returns the result of a promise; undefined if it fails or does not settle in time. */
export async function withinTimeout<T>(promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ANSWER_TIMEOUT_MS);
  });
  try {
    return await Promise.race([promise, timeout]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
