/** Tests the queue of regular expressions: order and refusals. */
import { describe, expect, it } from 'vitest';
import { openRegexTurns } from './regex-turns.ts';

const [ANNA, BEN, CLEO] = [1, 2, 3];

const settle = () => new Promise(setImmediate);

/** Returns functions that start and end searches; `startedSearches` lists the searches in the order of their start. */
function openSearches(concurrency: number) {
  const turns = openRegexTurns(concurrency);
  const startedSearches: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    startedSearches,
    search: (userId: number, name: string, isAborted?: () => boolean) =>
      turns.run(
        userId,
        async () => {
          startedSearches.push(name);
          await new Promise<void>((resolve) => ends.set(name, resolve));
          return name;
        },
        isAborted,
      ),
    async end(name: string) {
      await settle();
      ends.get(name)?.();
      await settle();
    },
  };
}

describe('turns of regular expressions', () => {
  it('run one search of a user at a time, even with free slots', async () => {
    const { search, startedSearches, end } = openSearches(2);
    const both = [search(ANNA, 'first'), search(ANNA, 'second')];
    await settle();
    expect(startedSearches).toEqual(['first']);
    await end('first');
    expect(startedSearches).toEqual(['first', 'second']);
    await end('second');
    expect(await Promise.all(both)).toEqual(['first', 'second']);
  });

  it('run the first search of each user before further searches of any user', async () => {
    const { search, startedSearches, end } = openSearches(1);
    const all = [
      search(ANNA, 'Anna 1'),
      search(ANNA, 'Anna 2'),
      search(ANNA, 'Anna 3'),
      search(BEN, 'Ben 1'),
      search(BEN, 'Ben 2'),
      search(CLEO, 'Cleo 1'),
    ];
    const order = ['Anna 1', 'Ben 1', 'Cleo 1', 'Anna 2', 'Ben 2', 'Anna 3'];
    for (const name of order) await end(name);
    expect(startedSearches).toEqual(order);
    await Promise.all(all);
  });

  it('refuse the fourth search of a user with 429, and accept a search of another user', async () => {
    const { search, end } = openSearches(1);
    const searchesOfUsers = ['1', '2', '3'].map((name) => search(ANNA, name));
    await expect(search(ANNA, '4')).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS', retryAfter: 2 });
    searchesOfUsers.push(search(BEN, 'Ben'));
    for (const name of ['1', 'Ben', '2', '3']) await end(name);
    await Promise.all(searchesOfUsers);
  });

  it('refuse with 429 if too many searches of different users wait', async () => {
    const { search, end } = openSearches(1);
    const names = Array.from({ length: 9 }, (_, number) => `of person ${number}`);
    const acceptedSearches = names.map((name, number) => search(number, name));
    await expect(search(99, 'one too many')).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    for (const name of names) await end(name);
    await Promise.all(acceptedSearches);
  });

  it('make a user wait four seconds after a cancelled search and a cancelled download', async () => {
    const turns = openRegexTurns(1);
    const cancelled = Object.assign(new Error('canceling statement'), { code: '57014' });
    const search = () => turns.run(ANNA, () => Promise.reject(cancelled));
    await expect(search()).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS', retryAfter: 1 });
    await turns.requireNoWait(ANNA);
    // A cancelled download counts too.
    expect(turns.countFailure(ANNA, cancelled)).toMatchObject({ retryAfter: 4 });
    await expect(turns.requireNoWait(ANNA)).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS', retryAfter: 4 });
    await turns.requireNoWait(BEN);
  });

  it('remove a waiting search whose request was aborted, and accept another search in its place', async () => {
    const { search, startedSearches, end } = openSearches(1);
    const request = { isAborted: false };
    const first = search(ANNA, 'first');
    const aborted = ['second', 'third'].map((name) => search(ANNA, name, () => request.isAborted));
    request.isAborted = true;
    const last = search(ANNA, 'last');
    for (const each of aborted) await expect(each).rejects.toThrow('aborted');
    await end('first');
    await end('last');
    expect(await Promise.all([first, last])).toEqual(['first', 'last']);
    expect(startedSearches).toEqual(['first', 'last']);
  });

  it('run searches of another user while a user must wait after cancelled searches', async () => {
    const turns = openRegexTurns(1);
    const cancelled = Object.assign(new Error('canceling statement'), { code: '57014' });
    const ended: string[] = [];
    const cancelOne = () => turns.run(ANNA, () => Promise.reject(cancelled)).catch(() => ended.push('cancelled'));
    const all = [cancelOne(), cancelOne(), turns.run(ANNA, async () => 'found').catch(() => ended.push('refused'))];
    await settle();
    all.push(turns.run(BEN, async () => ended.push('of another user')));
    await Promise.all(all);
    expect(ended).toEqual(['cancelled', 'cancelled', 'of another user', 'refused']);
  });

  it('start the next search when a search fails', async () => {
    const turns = openRegexTurns(1);
    await expect(turns.run(ANNA, () => Promise.reject(new Error('cut off')))).rejects.toThrow('cut off');
    expect(await turns.run(ANNA, async () => 'found')).toBe('found');
  });
});
