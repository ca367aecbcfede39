/** Whether every service serves, asked of each and remembered for a moment: many may ask the front door at once. */
import { get } from 'node:http';
import type { Target } from './target.ts';

export type Readiness = { status: 'ready' | 'starting'; parts: Record<string, unknown> };

/** The status of `/health/ready` of an instance, 0 where it is unreachable, and the parts that it names. */
export type ReadinessAnswer = { status: number; detail: unknown };

type Part = { answers(): Promise<readonly ReadinessAnswer[]> };

const REMEMBERED_MS = 500;
const PATIENCE_MS = 3_000;

/** Resolves with the readiness of each part: a part is ready while one of its instances is. */
export function readinessOf(parts: Record<string, Part>, rememberedMs = REMEMBERED_MS): () => Promise<Readiness> {
  let asked: { at: number; answer: Promise<Readiness> } | undefined;
  return () => {
    if (asked === undefined || performance.now() - asked.at > rememberedMs)
      asked = { at: performance.now(), answer: askAll(parts) };
    return asked.answer;
  };
}

async function askAll(parts: Record<string, Part>): Promise<Readiness> {
  const all = await Promise.all(
    Object.entries(parts).map(async ([name, instances]) => {
      const answers = await instances.answers();
      const ready = answers.filter(({ status }) => status === 200).length;
      const detail = ready === 0 ? answers[0]?.detail : `${ready} of ${answers.length} ready`;
      return { name, isReady: ready > 0, detail: ready === answers.length ? 'ready' : detail };
    }),
  );
  return {
    status: all.every(({ isReady }) => isReady) ? 'ready' : 'starting',
    parts: Object.fromEntries(all.map(({ name, detail }) => [name, detail])),
  };
}

export function checkReadiness({ host, port }: Target): Promise<ReadinessAnswer> {
  return new Promise((resolve) => {
    const unreachable = () => resolve({ status: 0, detail: 'unreachable' });
    const request = get({ host, port, path: '/health/ready', agent: false, timeout: PATIENCE_MS }, (response) => {
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
