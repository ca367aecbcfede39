/** Who may do what: every route as every kind of caller, against a table written by hand (security check 1). */
import { randomUUID } from 'node:crypto';
import type { RouteAccess } from '@rdm/platform';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { unique } from './http-client.ts';
import { CALLERS, type CallerName } from './permissions/callers.ts';
import { askRow, type Door, expectedOf } from './permissions/cells.ts';
import { type Ground, layGround } from './permissions/fixture.ts';
import { REQUESTS } from './permissions/requests.ts';
import { openRouters, type Routers } from './permissions/routers.ts';
import { ROWS } from './permissions/table.ts';
import { ADMIN_PASSWORD } from './stack.ts';

const LATE_SCHEMAS = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];

let ground: Ground;
let routers: Routers;
beforeAll(async () => {
  routers = await openRouters(inject('databaseUrl'), inject('eventStoreUrl'));
  ground = await layGround(inject('baseUrl'), inject('databaseUrl'), ADMIN_PASSWORD);
});
afterAll(async () => {
  console.log(`${ROWS.length} rows, ${routers.routes.size} routes, ${ROWS.length * CALLERS.length} cells`);
  await ground.close();
  await routers.close();
});

/** The front door; but the stack has no sign-in provider, so that its route is asked of a router that has one. */
function doorTo(name: string): Door {
  const route = name === 'POST /api/okta-login' ? routers.routes.get(name) : undefined;
  return route ? routers.serve(route, route.access) : { baseUrl: ground.baseUrl, as: (caller) => caller };
}

describe('the table of permissions', () => {
  it('has a row for every route of both services, and for none besides', () => {
    expect([...new Set(ROWS.map(({ route }) => route))].sort()).toEqual([...routers.routes.keys()].sort());
    expect(Object.keys(REQUESTS).sort()).toEqual(ROWS.map(({ name }) => name).sort());
  });

  it.each(ROWS)('holds for $name', async (row) => {
    expect(await askRow(ground, doorTo(row.route), row)).toEqual(expectedOf(row));
  });
});

describe('a command that was cut short and that the sweeper finishes', () => {
  /** As the caller left it behind, a minute ago and unanswered. */
  async function finished(name: string, caller: CallerName, needs: RouteAccess, input: unknown): Promise<number> {
    const [commandId, requestId] = [randomUUID(), randomUUID()];
    const { ownerId: actorId } = ground.callers[caller];
    const meta = { commandId, actorId, needs, requestId, correlationId: requestId, sourceType: 'UI' };
    await ground.pool.query(
      `INSERT INTO command.commands (command_id, principal, name, body_hash, payload, request_id, leased_until)
       VALUES ($1, $2, $3, '', $4, $5, now() - interval '1 minute')`,
      [commandId, `user:${actorId}`, name, JSON.stringify({ input, meta }), requestId],
    );
    const answered = async () => {
      const { rows } = await ground.pool.query('SELECT status FROM command.commands WHERE command_id = $1', [
        commandId,
      ]);
      expect(rows[0].status).not.toBeNull();
      return rows[0].status as number;
    };
    return vi.waitFor(answered, { timeout: 30_000, interval: 200 });
  }
  const type = () => ({ body: { name: unique('Late'), description: '', schemas: LATE_SCHEMAS } });
  const details = () => ({ id: ground.sourceId, body: { description: unique('Late') } });

  it.each([
    ['role', 'DefineReferenceType', { ability: 'types.write' }, type, { viewer: 403, steward: 201 }],
    ['level', 'ChangeDataSet', { level: 'ADMIN' }, details, { steward: 403, keeper: 200 }],
  ] as const)('asks for the %s that the route declared', async (_, name, needs, input, expected) => {
    const answers = Object.keys(expected).map(async (caller) => [
      caller,
      await finished(name, caller as CallerName, needs, input()),
    ]);
    expect(Object.fromEntries(await Promise.all(answers))).toEqual(expected);
  });
});
