/** Compares the answers for known and for unknown accounts, and the times until they arrive. */
import { expect } from 'vitest';
import type { Answer, Json } from '../../stories/http-client.ts';
import { newBot } from './accounts.ts';

const LONG = process.env['FAULTS'] === 'long';
/** Number of known and of unknown names whose answers are timed. */
export const TIMED_NAMES = LONG ? 100 : 8;
/**
 * The limit for the difference between the times for known and unknown names, as a share of the time for known names.
 * Without FAULTS=long, the limit is high, because a lower limit would fail on a busy machine.
 */
const GAP_MAX = LONG ? 0.05 : 1;

interface DurationsByName {
  known: number[];
  unknown: number[];
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const formatted = (value: number) => value.toFixed(2);

/**
 * Requires equal answers for known and unknown names. Returns the times, and the median difference per round as a share
 * of the time for known names. A round sends known, unknown, unknown, known, so that other load affects both equally.
 */
export async function measureInTurn(
  turns: number,
  known: (turn: number) => Promise<Answer>,
  unknown: (turn: number) => Promise<Answer>,
) {
  const times: DurationsByName = { known: [], unknown: [] };
  const answers = { known: new Set<string>(), unknown: new Set<string>() };
  const measure = async (account: keyof DurationsByName, turn: number) => {
    const began = performance.now();
    const answer = await { known, unknown }[account](turn);
    times[account].push(performance.now() - began);
    answers[account].add(JSON.stringify(comparableAnswer(answer)));
  };
  for (let turn = 0; turn < turns; turn += 2) {
    await measure('known', turn);
    await measure('unknown', turn);
    await measure('unknown', turn + 1);
    await measure('known', turn + 1);
  }
  expect(answers.unknown).toEqual(answers.known);
  const timeOfRound = (values: number[], firstIndex: number) =>
    (values[firstIndex] ?? 0) + (values[firstIndex + 1] ?? 0);
  const rounds = Array.from({ length: turns / 2 }, (_, index) => ({
    known: timeOfRound(times.known, index * 2),
    unknown: timeOfRound(times.unknown, index * 2),
  }));
  const difference = median(rounds.map(({ known, unknown }) => unknown - known));
  return { times, gap: Math.abs(difference) / median(rounds.map(({ known }) => known)) };
}

/**
 * Returns the parts of a response that an attacker can compare: status, body and headers, without the values that
 * differ in every response.
 */
const comparableAnswer = ({ status, body, headers }: Answer): Json => [
  status,
  { ...body, requestId: undefined },
  [...headers].filter(([name]) => !['date', 'etag', 'x-request-id', 'retry-after'].includes(name)),
];

export function reportAndRequireSmallGap(
  title: string,
  { times, gap }: Awaited<ReturnType<typeof measureInTurn>>,
): void {
  const spread = (values: number[]) => {
    const sorted = values.toSorted((a, b) => a - b);
    const quantileAt = (share: number) => formatted(sorted[Math.floor(sorted.length * share)] ?? 0);
    return `${formatted(median(values))} ms (${quantileAt(0.25)}–${quantileAt(0.75)})`;
  };
  console.log(
    `${title}: known ${spread(times.known)}, unknown ${spread(times.unknown)}, gap ${(gap * 100).toFixed(1)}%, ` +
      `${times.known.length} each`,
  );
  expect(gap).toBeLessThan(GAP_MAX);
}

export const guessPassword = (names: string[]) => (turn: number) =>
  newBot().signIn(names[turn % names.length] as string, 'Guessed-wrong-1');
