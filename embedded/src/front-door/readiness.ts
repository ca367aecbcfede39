/** Checks the readiness of all services. Caches results, because many clients may check the front door at once. */
import { get } from 'node:http';
import { READ_MODELS_STARTING } from '@rdm/contracts/constants';
import type { Target } from './target.ts';

export type Readiness = {
  status: 'ready' | 'starting';
  parts: Record<string, unknown>;
  /** `complete` after the read models have reached the end of the log; `unknown` without a report of query-api. */
  readModels: 'complete' | 'starting' | 'unknown';
};

/** The answer of an instance to `/health/ready`. The status is 0 if the instance is unreachable. */
export type ReadinessAnswer = { status: number; detail: unknown };

type Part = { readiness(): Promise<readonly ReadinessAnswer[]> };

const CACHE_MS = 500;
const TIMEOUT_MS = 3_000;

/** Returns a function that checks all parts. A part is ready if one of its instances is ready. */
export function readinessOf(parts: Record<string, Part>, cacheMs = CACHE_MS): () => Promise<Readiness> {
  let cached: { at: number; answer: Promise<Readiness> } | undefined;
  return () => {
    if (cached === undefined || performance.now() - cached.at > cacheMs) {
      const entry = { at: performance.now(), answer: checkAll(parts) };
      cached = entry;
      // Do not cache an unknown state: an instance that answers soon may report incomplete read models.
      void entry.answer.then(({ readModels }) => {
        if (readModels === 'unknown' && cached === entry) cached = undefined;
      });
    }
    return cached.answer;
  };
}

/** Whether a check of a ready instance has a warning for operators: only such a check is an object. */
const hasWarning = (detail: unknown): boolean =>
  typeof detail === 'object' && detail !== null && Object.values(detail).some((check) => typeof check === 'object');

async function checkAll(parts: Record<string, Part>): Promise<Readiness> {
  const all = await Promise.all(
    Object.entries(parts).map(async ([name, instances]) => {
      const answers = await instances.readiness();
      const ready = answers.filter(({ status }) => status === 200).length;
      const incompleteDetail = ready === 0 ? answers[0]?.detail : `${ready} of ${answers.length} ready`;
      const completeDetail = answers.find(({ detail }) => hasWarning(detail))?.detail ?? 'ready';
      const detail = ready === answers.length ? completeDetail : incompleteDetail;
      return { name, isReady: ready > 0, detail, answers };
    }),
  );
  return {
    status: all.every(({ isReady }) => isReady) ? 'ready' : 'starting',
    parts: Object.fromEntries(all.map(({ name, detail }) => [name, detail])),
    readModels: readModelsIn(all.find(({ name }) => name === 'query-api')?.answers ?? []),
  };
}

function readModelsIn(answers: readonly ReadinessAnswer[]): Readiness['readModels'] {
  const reported = answers.flatMap(({ detail }) => (detail as { readModels?: unknown } | null)?.readModels ?? []);
  if (reported.includes(READ_MODELS_STARTING)) return 'starting';
  return reported.length > 0 ? 'complete' : 'unknown';
}

/**
 * Returns a function that checks whether the read models are incomplete; false if this is unknown. The function sends
 * no requests after the read models were complete once.
 */
export function startingCheck(readiness: () => Promise<Readiness>): () => Promise<boolean> {
  let isComplete = false;
  return async () => {
    if (isComplete) return false;
    const { readModels } = await readiness();
    isComplete = readModels === 'complete';
    return readModels === 'starting';
  };
}

export function checkReadiness({ host, port }: Target): Promise<ReadinessAnswer> {
  return new Promise((resolve) => {
    const unreachable = () => resolve({ status: 0, detail: 'unreachable' });
    const request = get({ host, port, path: '/health/ready', agent: false, timeout: TIMEOUT_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, detail: partsIn(text) }));
      response.on('error', unreachable);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', unreachable);
  });
}

function partsIn(text: string): unknown {
  try {
    const { parts, status } = JSON.parse(text) as { parts?: unknown; status?: unknown };
    return parts ?? status ?? 'starting';
  } catch {
    return 'starting';
  }
}
