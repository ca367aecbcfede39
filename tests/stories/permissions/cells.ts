/** Asks the cells of a row and tells them as the table does. */
import type { Answer } from '../person.ts';
import { ask, CALLERS, type Caller, type CallerName } from './callers.ts';
import type { Ground } from './ground.ts';
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

export async function askCell(ground: Ground, door: Door, row: TableRow, name: CallerName): Promise<string> {
  const make = REQUESTS[row.name];
  if (!make) throw new Error(`Nobody says how to ask ${row.name}`);
  const caller = ground.callers[name];
  const made = await make(ground, caller);
  const method = row.route.split(' ')[0] as string;
  const answer = await ask(door.baseUrl, door.as({ ...caller, ...(made.cookie ? { cookie: made.cookie } : {}) }), {
    method,
    ...made,
  });
  await made.after?.(answer);
  return toldOf(answer, made);
}

export async function askRow(ground: Ground, door: Door, row: TableRow): Promise<Record<CallerName, string>> {
  const cells = await Promise.all(CALLERS.map(async (name) => [name, await askCell(ground, door, row, name)] as const));
  return Object.fromEntries(cells) as Record<CallerName, string>;
}

export const expectedOf = (row: TableRow): Record<CallerName, string> =>
  Object.fromEntries(CALLERS.map((name) => [name, told(row.cells[name])])) as Record<CallerName, string>;
