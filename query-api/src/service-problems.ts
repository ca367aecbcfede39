/** What keeps command-api and the projector from their work, in the words of their own readiness. */
import type { Settings } from '@rdm/platform';

/** A service that does not answer within this says nothing. */
const PATIENCE_MS = 1_000;

export async function serviceProblems(
  settings: Pick<Settings, 'COMMAND_API_URL' | 'PROJECTOR_URL'>,
): Promise<string[]> {
  const urls = [...(settings.COMMAND_API_URL ?? []), ...(settings.PROJECTOR_URL ?? [])];
  // Instances of one service have the same problem: it is said once.
  return [...new Set((await Promise.all(urls.map(problemsOf))).flat())];
}

async function problemsOf(url: string): Promise<string[]> {
  try {
    const answer = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const { parts } = (await answer.json()) as { parts: Record<string, unknown> };
    return Object.values(parts).filter((part) => typeof part === 'string');
  } catch {
    return []; // That a service is away shows by what it does not do.
  }
}
