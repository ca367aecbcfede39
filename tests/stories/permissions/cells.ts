/** Asks the cells of a row and tells them as the table does. */
import type { Answer } from '../http-client.ts';
import { ask, CALLERS, type Caller, type CallerName } from './callers.ts';
import type { Ground } from './fixture.ts';
import { type Made, REQUESTS } from './requests.ts';
import type { Expected, TableRow } from './table.ts';

export const told = ({ status, shows }: Expected): string => `${status}${shows === undefined ? '' : shows ? '+' : '-'}`;

function toldOf(answer: Answer, made: Made): string {
  const shows = made.shows && answer.status < 300 ? made.shows(answer.body) : undefined;
  return told({ status: answer.status, shows });
}

/** Where a request goes, and what it carries there. */
export interface Door {
  baseUrl: string;
  /** The caller as this door knows them. */
  as: (caller: Caller) => Caller;
}

const makerOf = ({ name }: TableRow) => {
  const make = REQUESTS[name];
  if (!make) throw new Error(`No request is defined for ${name}`);
  return make;
};

export async function askCell(ground: Ground, door: Door, row: TableRow, name: CallerName): Promise<string> {
  return answerTo(ground, door, row, name, await makerOf(row)(ground, ground.callers[name]));
}

async function answerTo(ground: Ground, door: Door, row: TableRow, name: CallerName, made: Made): Promise<string> {
  const caller = ground.callers[name];
  const method = row.route.split(' ')[0] as string;
  const answer = await ask(door.baseUrl, door.as({ ...caller, ...(made.cookie ? { cookie: made.cookie } : {}) }), {
    method,
    ...made,
  });
  await made.after?.(answer);
  return toldOf(answer, made);
}

/**
 * Asks as every caller. Callers who are refused share one request and what it is about, because a refusal changes nothing;
 * those who succeed, and those whose request depends on the caller, get their own.
 */
export async function askRow(ground: Ground, door: Door, row: TableRow): Promise<Record<CallerName, string>> {
  const make = makerOf(row);
  let shared: ReturnType<typeof make> | undefined;
  const madeFor = (name: CallerName) => {
    const { status, shows } = row.cells[name];
    const isRefused = status >= 400 || shows === false;
    if (!isRefused || make.length > 1) return make(ground, ground.callers[name]);
    shared ??= make(ground, ground.callers[name]);
    return shared;
  };
  const cells = await Promise.all(
    CALLERS.map(async (name) => [name, await answerTo(ground, door, row, name, await madeFor(name))] as const),
  );
  return Object.fromEntries(cells) as Record<CallerName, string>;
}

export const expectedOf = (row: TableRow): Record<CallerName, string> =>
  Object.fromEntries(CALLERS.map((name) => [name, told(row.cells[name])])) as Record<CallerName, string>;
