/**
 * Sends a request to every route as every caller, and compares the statuses with a table written by hand.
 */
import { randomUUID } from 'node:crypto';
import type { RouteAccess } from '@rdm/platform';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { uniqueName } from './http-client.ts';
import { CALLERS, type CallerName } from './permissions/callers.ts';
import { expectedOf, requestRow, type Target } from './permissions/cells.ts';
import { createFixture, type PermissionFixture } from './permissions/fixture.ts';
import { REQUESTS } from './permissions/requests.ts';
import { openRouters, type Routers } from './permissions/routers.ts';
import { ROWS } from './permissions/table.ts';
import { ADMIN_PASSWORD } from './stack.ts';

const SCHEMAS = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];

let fixture: PermissionFixture;
let routers: Routers;
beforeAll(async () => {
  routers = await openRouters(inject('databaseUrl'), inject('eventStoreUrl'));
  fixture = await createFixture(inject('baseUrl'), inject('databaseUrl'), ADMIN_PASSWORD);
});
afterAll(async () => {
  console.log(`${ROWS.length} rows, ${routers.routes.size} routes, ${ROWS.length * CALLERS.length} cells`);
  await fixture.close();
  await routers.close();
});

/**
 * Returns the target of the requests: the stack, or for single sign-on a router in this process that has a sign-in
 * provider.
 */
function targetFor(name: string): Target {
  const route = name === 'POST /api/okta-login' ? routers.routes.get(name) : undefined;
  return route ? routers.serve(route, route.access) : { baseUrl: fixture.baseUrl, as: (caller) => caller };
}

describe('the table of permissions', () => {
  it('has rows for exactly the routes of both services', () => {
    expect([...new Set(ROWS.map(({ route }) => route))].sort()).toEqual([...routers.routes.keys()].sort());
    const names = ROWS.map(({ name }) => name);
    expect(Object.keys(REQUESTS).filter((name) => !names.includes(name))).toEqual([]);
  });

  it.each(ROWS)('matches $name', async (row) => {
    expect(await requestRow(fixture, targetFor(row.route), row)).toEqual(expectedOf(row));
  });
});

describe('an interrupted command that recovery finishes', () => {
  /**
   * Stores a command without an answer and with an expired lease. Returns the status of the answer that recovery
   * stores.
   */
  async function finishByRecovery(
    name: string,
    caller: CallerName,
    needs: RouteAccess,
    input: unknown,
  ): Promise<number> {
    const [commandId, requestId] = [randomUUID(), randomUUID()];
    const { ownerId: actorId } = fixture.callers[caller];
    const meta = { commandId, actorId, needs, requestId, correlationId: requestId, sourceType: 'UI' };
    await fixture.pool.query(
      `INSERT INTO command.commands (command_id, principal, name, body_hash, payload, request_id, leased_until)
       VALUES ($1, $2, $3, '', $4, $5, now() - interval '1 minute')`,
      [commandId, `user:${actorId}`, name, JSON.stringify({ input, meta }), requestId],
    );
    const readStatus = async () => {
      const { rows } = await fixture.pool.query('SELECT status FROM command.commands WHERE command_id = $1', [
        commandId,
      ]);
      expect(rows[0].status).not.toBeNull();
      return rows[0].status as number;
    };
    return vi.waitFor(readStatus, { timeout: 30_000, interval: 200 });
  }
  const type = () => ({ body: { name: uniqueName('Late'), description: '', schemas: SCHEMAS } });
  const details = () => ({ id: fixture.sourceId, body: { description: uniqueName('Late') } });

  it.each([
    ['ability', 'DefineReferenceType', { ability: 'types.write' }, type, { viewer: 403, steward: 201 }],
    ['level', 'ChangeDataSet', { level: 'ADMIN' }, details, { steward: 403, keeper: 200 }],
  ] as const)('requires the %s that its route declares', async (_, name, needs, input, expected) => {
    const answers = Object.keys(expected).map(async (caller) => [
      caller,
      await finishByRecovery(name, caller as CallerName, needs, input()),
    ]);
    expect(Object.fromEntries(await Promise.all(answers))).toEqual(expected);
  });
});
