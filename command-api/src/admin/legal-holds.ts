/** Routes of legal holds. Data under a hold is neither purged nor erased until the hold is released. */
import {
  ACCESS_STREAM,
  type AccessState,
  type HoldScope,
  hasLevel,
  isAdministrator,
  levelOnDataSet,
  PlaceLegalHold,
  Refusal,
  ReleaseLegalHold,
  streams,
} from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { placeHold, releaseHold } from '../invariants/legal-holds.ts';
import { ChangeAnswer } from '../runtime/answer-schemas.ts';
import { type Commands, command } from '../runtime/commands.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';

/** Locks the row of a user while `work` runs; throws if the user was erased. */
export type WithUser = <Result>(x: Execution, userId: number, work: () => Promise<Result>) => Promise<Result>;

/**
 * Returns a function that checks the actor's level in the access state on which the append decides. A hold on a
 * data set, even on a deleted one, requires ADMIN on the data set; other holds require an administrator.
 */
async function levelCheck(
  x: Execution,
  scope: HoldScope,
  { ifHidden, ifNotAdministrator }: { ifHidden: Refusal; ifNotAdministrator: Refusal },
): Promise<(access: AccessState) => void> {
  const actor = await x.actor();
  const { state: dataSet } =
    scope.kind === 'dataSet' ? await x.load(kinds.dataSet, streams.dataSet(scope.id)) : { state: undefined };
  return (access) => {
    if (scope.kind !== 'dataSet') {
      if (!isAdministrator(access, actor)) throw ifNotAdministrator;
      return;
    }
    const level = dataSet && levelOnDataSet(access, actor, dataSet);
    if (!level) throw ifHidden;
    if (!hasLevel(level, x.level)) throw new Refusal('FORBIDDEN', `This needs ${x.level} on the data set`);
  };
}

export function legalHoldRoutes(commands: Commands, withUser: WithUser): Route[] {
  const place = command<{ body: PlaceLegalHold }>('PlaceLegalHold', async (x, { body }) => {
    const requireLevel = await levelCheck(x, body.scope, {
      ifHidden: new Refusal('NOT_FOUND', 'This data set does not exist'),
      ifNotAdministrator: new Refusal('FORBIDDEN', 'This needs an administrator'),
    });
    const holdId = await x.allocateOne('legal_hold_ids');
    const append = () =>
      x.change(kinds.access, ACCESS_STREAM, [], (access) => {
        requireLevel(access);
        return placeHold(access, { holdId, ...body });
      });
    // An erasure locks the same row, so a hold and an erasure of the same user cannot both succeed.
    await (body.scope.kind === 'user' ? withUser(x, body.scope.id, append) : append());
    return { status: 201, body: { id: holdId } };
  });

  const release = command<{ id: number; reason: string }>('ReleaseLegalHold', async (x, { id, reason }) => {
    const notFound = new Refusal('NOT_FOUND', 'This legal hold does not exist, or is released already');
    const hold = (await x.access.current()).holds.get(id);
    // Without a hold there is no level to check: `releaseHold` throws, or an earlier run released the hold.
    const refusals = { ifHidden: notFound, ifNotAdministrator: notFound };
    const requireLevel = hold && (await levelCheck(x, hold.scope, refusals));
    await x.change(kinds.access, ACCESS_STREAM, [], (access) => {
      requireLevel?.(access);
      return releaseHold(access, { holdId: id, reason });
    });
    return { body: { id } };
  });

  commands.register([place, release]);
  const admin = { level: 'ADMIN' } as const;
  return [
    route(
      'post',
      '/api/legal-holds',
      admin,
      {
        summary: 'Place a legal hold: the data that it covers is neither purged nor erased',
        example: {
          body: {
            scope: { kind: 'dataSet', id: 1 },
            matter: 'Case 2026-17',
            reason: 'Requested by the legal department',
          },
        },
        answers: { 201: ChangeAnswer },
        errors: ['PURGE_RUNNING', 'PURGED'],
        body: PlaceLegalHold,
      },
      (request) => commands.handle(place, request, { body: request.body }),
    ),
    route(
      'post',
      '/api/legal-holds/:id/release',
      admin,
      {
        summary: 'Release a legal hold',
        example: {
          body: { reason: 'The case is closed' },
          from: { id: { operation: 'POST /api/legal-holds', property: 'id' } },
        },
        answers: { 200: ChangeAnswer },
        body: ReleaseLegalHold,
      },
      (request) => commands.handle(release, request, { id: idParam(request), ...request.body }),
    ),
  ];
}
