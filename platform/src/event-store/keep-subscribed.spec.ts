import { describe, expect, it } from 'vitest';
import type { Log } from '../service/log.ts';
import { keepSubscribed } from './keep-subscribed.ts';

function recordingLog() {
  const lines: string[] = [];
  const write = (level: string) => (_: unknown, message: string) => lines.push(`${level}: ${message}`);
  return { lines, log: { info: write('info'), warn: write('warn') } as unknown as Log };
}

const neverAborted = new AbortController().signal;

describe('keeping a subscription', () => {
  it('subscribes again at once after a subscription that delivered something', async () => {
    const { lines, log } = recordingLog();
    let count = 0;
    await keepSubscribed(
      async (progressed) => {
        count += 1;
        progressed();
        if (count === 3) return 'done';
        if (count === 2) throw new Error('Consumer too slow');
        return undefined;
      },
      { signal: neverAborted, log, to: 'the log', pauseBy: async () => void lines.push('pause') },
    );
    expect(lines).toEqual(Array(2).fill('info: The subscription to the log ended: subscribing again'));
  });

  it('pauses after each subscription that delivered nothing, and warns once about the same failure', async () => {
    const { lines, log } = recordingLog();
    let count = 0;
    await keepSubscribed(
      async () => {
        count += 1;
        if (count === 4) return 'done';
        throw new Error('away');
      },
      { signal: neverAborted, log, to: 'the log', pauseBy: async (failures) => void lines.push(`pause ${failures}`) },
    );
    const warning = 'warn: No subscription to the log: trying again. Error: away';
    expect(lines).toEqual([warning, 'pause 0', 'pause 1', 'pause 2']);
  });

  it('throws errors that are final, and ends when the signal aborts', async () => {
    const { log } = recordingLog();
    const final = keepSubscribed(() => Promise.reject(new RangeError('gone for good')), {
      signal: neverAborted,
      log,
      to: 'the log',
      isFinal: (error) => error instanceof RangeError,
    });
    await expect(final).rejects.toThrow('gone for good');

    const stopping = new AbortController();
    let count = 0;
    await keepSubscribed(
      async (progressed) => {
        progressed();
        count += 1;
        if (count === 5) stopping.abort();
        return undefined;
      },
      { signal: stopping.signal, log, to: 'the log' },
    );
    expect(count).toBe(5);
  });
});
