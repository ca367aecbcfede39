/** Sends the requests of a row of the permission table, and formats the responses as cells. */
import type { Answer } from '../http-client.ts';
import { CALLERS, type Caller, type CallerName, sendAs } from './callers.ts';
import type { PermissionFixture } from './fixture.ts';
import { type PreparedRequest, requestBuilderOf } from './requests.ts';
import type { Expected, TableRow } from './table.ts';

export const formatCell = ({ status, shows }: Expected): string =>
  `${status}${shows === undefined ? '' : shows ? '+' : '-'}`;

function formatAnswer(answer: Answer, prepared: PreparedRequest): string {
  const shows = prepared.shows && answer.status < 300 ? prepared.shows(answer.body) : undefined;
  return formatCell({ status: answer.status, shows });
}

/** A server that receives the requests. */
export interface Target {
  baseUrl: string;
  /** Returns the caller with credentials for this target. */
  as: (caller: Caller) => Caller;
  /** Whether the declarations of the server's routes differ from the API document. */
  hasOtherDeclarations?: boolean;
}

export async function requestCell(
  fixture: PermissionFixture,
  target: Target,
  row: TableRow,
  name: CallerName,
): Promise<string> {
  return sendPrepared(fixture, target, row, name, await requestBuilderOf(row.name)(fixture, fixture.callers[name]));
}

async function sendPrepared(
  fixture: PermissionFixture,
  target: Target,
  row: TableRow,
  name: CallerName,
  prepared: PreparedRequest,
): Promise<string> {
  const caller = fixture.callers[name];
  const method = row.route.split(' ')[0] as string;
  const answer = await sendAs(
    target.baseUrl,
    target.as({ ...caller, ...(prepared.cookie ? { cookie: prepared.cookie } : {}) }),
    {
      method,
      ...prepared,
      ...(target.hasOtherDeclarations === true ? { isUndocumented: true } : {}),
    },
  );
  await prepared.after?.(answer);
  return formatAnswer(answer, prepared);
}

/**
 * Sends the request of a row as every caller. Callers whose expected answer changes nothing (a refusal, or `-`) share
 * one prepared request, unless the request depends on the caller.
 */
export async function requestRow(
  fixture: PermissionFixture,
  target: Target,
  row: TableRow,
): Promise<Record<CallerName, string>> {
  const build = requestBuilderOf(row.name);
  let sharedRequest: ReturnType<typeof build> | undefined;
  const prepareFor = (name: CallerName) => {
    const { status, shows } = row.cells[name];
    const changesNothing = status >= 400 || shows === false;
    if (!changesNothing || build.length > 1) return build(fixture, fixture.callers[name]);
    sharedRequest ??= build(fixture, fixture.callers[name]);
    return sharedRequest;
  };
  const cells = await Promise.all(
    CALLERS.map(
      async (name) => [name, await sendPrepared(fixture, target, row, name, await prepareFor(name))] as const,
    ),
  );
  return Object.fromEntries(cells) as Record<CallerName, string>;
}

export const expectedOf = (row: TableRow): Record<CallerName, string> =>
  Object.fromEntries(CALLERS.map((name) => [name, formatCell(row.cells[name])])) as Record<CallerName, string>;
