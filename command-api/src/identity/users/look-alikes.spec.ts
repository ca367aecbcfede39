/** Specifies which usernames look like taken or reserved ones. */
import type { Queryable } from '@rdm/platform';
import { describe, expect, it } from 'vitest';
import { loadLookAlikeCheck } from './look-alikes.ts';

const databaseWith = (...usernames: string[]): Queryable =>
  ({ query: async () => ({ rows: usernames.map((username) => ({ username })) }) }) as unknown as Queryable;

describe('a username', () => {
  it.each([
    ['аdmin', 'with a Cyrillic а'],
    ['admın', 'without the dot'],
    ['ADMlN', 'with a small l'],
    ['adrnin', 'with r and n'],
    ['adm1n', 'with a digit'],
    ['system', 'reserved'],
    ['SYSTEM', 'reserved, in capitals'],
    ['systеm', 'reserved, with a Cyrillic е'],
  ])('%s looks like a taken or reserved username: %s', async (username) => {
    expect((await loadLookAlikeCheck(databaseWith('admin', 'Steward'), 7))(username)).toBe(true);
  });

  it.each(['administration', 'admin2', 'admin-2', 'müller', 'Андрей', '田中', 'system.user'])(
    '%s does not look like a taken or reserved username',
    async (username) => {
      expect((await loadLookAlikeCheck(databaseWith('admin', 'Steward', 'muller'), 7))(username)).toBe(false);
    },
  );

  it('that differs from a taken one only in case is not reported, because the database refuses it', async () => {
    expect((await loadLookAlikeCheck(databaseWith('admin'), 7))('Admin')).toBe(false);
  });
});
