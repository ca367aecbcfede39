/**
 * Tests that the permission table detects wrong declarations of routes: each flip of a declaration to another value
 * must change a cell of the table. Without FAULTS=long, the test tries a random sample of flips.
 */
import type { Route, RouteAccess } from '@rdm/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { announcedSeed, random } from '../../../conformance/seed.ts';
import { expectedOf, requestRow } from '../../../stories/permissions/cells.ts';
import { findFirstMismatch, flipsOf } from '../../../stories/permissions/declaration-flips.ts';
import { nameOf, openRouters, type Routers } from '../../../stories/permissions/routers.ts';
import { ROWS } from '../../../stories/permissions/table.ts';
import { fixture, stack } from '../../requests/stack.ts';

const LONG = process.env['FAULTS'] === 'long';
const SAMPLE = 16;

let routers: Routers;

interface Flip {
  route: Route;
  access: RouteAccess;
}

/** Returns all flips with FAULTS=long, and a random sample otherwise. */
function chooseFlips(seed: number): Flip[] {
  const flips = [...routers.routes.values()].flatMap((route) =>
    flipsOf(route.access).map((access) => ({ route, access })),
  );
  if (LONG) return flips;
  const next = random(seed);
  return Array.from({ length: SAMPLE }, () => flips.splice(Math.floor(next() * flips.length), 1)).flat();
}

describe('a flipped declaration', () => {
  beforeAll(async () => {
    routers = await openRouters(stack.databaseUrl, stack.eventStoreUrl);
  });
  afterAll(() => routers?.close());

  it('changes a cell of the table', async () => {
    const flips = chooseFlips(announcedSeed('permission flips'));
    const unnoticed: string[] = [];
    const wrong: unknown[] = [];
    for (const route of new Set(flips.map((flip) => flip.route))) {
      const rows = ROWS.filter((row) => row.route === nameOf(route));
      // Require each row to match the table without a flip, so that the differences below come from the flip.
      for (const row of rows) {
        const answers = await requestRow(fixture, routers.serve(route, route.access), row);
        if (JSON.stringify(answers) !== JSON.stringify(expectedOf(row)))
          wrong.push({ row: row.name, answered: answers });
      }
      for (const { access } of flips.filter((flip) => flip.route === route)) {
        const mismatch = await findFirstMismatch(fixture, routers.serve(route, access), rows);
        if (!mismatch) unnoticed.push(`${nameOf(route)} ${JSON.stringify(route.access)} as ${JSON.stringify(access)}`);
      }
    }
    console.log(`${flips.length} flips tried, ${flips.length - unnoticed.length} caught`);
    expect({ wrong, unnoticed }).toEqual({ wrong: [], unnoticed: [] });
  });
});
