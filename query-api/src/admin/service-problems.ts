/** Reads the health of command-api and the projector, with the problems that their readiness checks report. */
import type { Settings } from '@rdm/platform';

/** An instance that does not answer within this time counts as not ready. */
const ANSWER_TIMEOUT_MS = 1_000;

type ServiceUrls = Pick<Settings, 'COMMAND_API_URL' | 'PROJECTOR_URL'>;

export interface ServiceHealth {
  problems: string[];
  /** Whether at least one instance of command-api is ready; null if no address is configured. */
  commandApi: boolean | null;
  /** Like `commandApi`, for the projector. */
  projector: boolean | null;
}

export async function readServiceHealth({
  COMMAND_API_URL = [],
  PROJECTOR_URL = [],
}: ServiceUrls): Promise<ServiceHealth> {
  const [commandApis, projectors] = await Promise.all(
    [COMMAND_API_URL, PROJECTOR_URL].map((urls) => Promise.all(urls.map(readInstanceHealth))),
  );
  // Instances of one service report the same problem: list it once.
  const problems = [...new Set([...(commandApis ?? []), ...(projectors ?? [])].flatMap((each) => each.problems))];
  return { problems, commandApi: isReady(commandApis), projector: isReady(projectors) };
}

interface InstanceHealth {
  isReady: boolean;
  problems: string[];
}

const isReady = (instances: readonly InstanceHealth[] = []): boolean | null =>
  instances.length === 0 ? null : instances.some((each) => each.isReady);

/** Returns the problem of a part that is not ready, or the warning of a ready part. */
function problemsOf(part: unknown): string[] {
  const text = typeof part === 'object' && part !== null && 'warning' in part ? part.warning : part;
  return typeof text === 'string' ? [text] : [];
}

async function readInstanceHealth(url: string): Promise<InstanceHealth> {
  try {
    const answer = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    const { parts } = (await answer.json()) as { parts: Record<string, unknown> };
    return { isReady: answer.ok, problems: Object.values(parts).flatMap(problemsOf) };
  } catch {
    return { isReady: false, problems: [] };
  }
}
