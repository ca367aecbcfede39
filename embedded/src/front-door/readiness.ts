/** Whether every service serves, asked of each and remembered for a moment: many may ask the front door at once. */
import { get } from 'node:http';
import type { Target } from './proxy.ts';

export type Readiness = { status: 'ready' | 'starting'; parts: Record<string, unknown> };

const REMEMBERED_MS = 500;
const PATIENCE_MS = 3_000;

/** Answers what each part says about itself; an unreachable one is `unreachable`. */
export function readinessOf(parts: Record<string, Target>, rememberedMs = REMEMBERED_MS): () => Promise<Readiness> {
  let asked: { at: number; answer: Promise<Readiness> } | undefined;
  return () => {
    if (asked === undefined || performance.now() - asked.at > rememberedMs)
      asked = { at: performance.now(), answer: askAll(parts) };
    return asked.answer;
  };
}

async function askAll(parts: Record<string, Target>): Promise<Readiness> {
  const answers = await Promise.all(
    Object.entries(parts).map(async ([name, target]) => [name, await ask(target)] as const),
  );
  const ready = answers.every(([, { status }]) => status === 200);
  return {
    status: ready ? 'ready' : 'starting',
    parts: Object.fromEntries(answers.map(([name, { status, says }]) => [name, status === 200 ? 'ready' : says])),
  };
}

function ask({ host, port }: Target): Promise<{ status: number; says: unknown }> {
  return new Promise((resolve) => {
    const unreachable = () => resolve({ status: 0, says: 'unreachable' });
    const request = get({ host, port, path: '/health/ready', agent: false, timeout: PATIENCE_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, says: partsIn(text) }));
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
