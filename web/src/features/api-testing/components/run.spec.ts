/** Tests the batches, the failures and the end of a run, and the state of the page. */
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { markSession, sessionExists } from '../../../lib/api/index.ts';
import { apiTestQuery, changeApiTest, changeInput, clearApiTest, readApiTest } from '../api/state.ts';
import { slicesOf } from './csv.ts';
import { startTest, stopTest } from './run.ts';

/** Replaces `Worker`, because happy-dom has no workers. */
class InlineWorker {
  onmessage: ((event: { data: unknown }) => void) | undefined;
  postMessage(text: string) {
    for (const slice of slicesOf(text)) this.onmessage?.({ data: slice });
  }
  terminate() {}
}

interface Call {
  url: string;
  init: RequestInit;
  values: string[];
  respond: (status: number, body: unknown) => void;
}

const calls: Call[] = [];
let queries: QueryClient;

/** A busy machine may need more time than the default timeout. */
const LONG_TIMEOUT = { timeout: 20_000 };
const nthCall = (number: number) =>
  vi.waitFor(() => (calls.length < number ? Promise.reject() : (calls[number - 1] as Call)), LONG_TIMEOUT);
const translations = ({ values }: Call) => values.map((value) => ({ value, results: [] }));
const start = (isRecording = false) => startTest(queries, { crosswalkId: 7, column: 0, isRecording });
const statuses = () => {
  const counts: Record<string, number> = {};
  for (const { status } of readApiTest(queries).transformedData ?? []) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

function prepare(text: string) {
  changeInput(queries, {
    csvData: { text },
    headers: ['code'],
    translatedColumnIndex: 0,
    selectedCrosswalk: { id: 7, name: 'C' },
  });
  changeApiTest(queries, { apiKey: ' rdm_secret ' });
}

beforeEach(() => {
  queries = new QueryClient();
  // Subscribes to the state, as the page does.
  new QueryObserver(queries, apiTestQuery).subscribe(() => {});
  calls.length = 0;
  sessionStorage.clear();
  vi.stubGlobal('Worker', InlineWorker);
  vi.stubGlobal(
    'fetch',
    (url: string, init: RequestInit) =>
      new Promise((resolve) => {
        const { values } = JSON.parse(String(init.body)) as { values: string[] };
        const respond = (status: number, body: unknown) =>
          resolve(new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } }));
        calls.push({ url, init, values, respond });
      }),
  );
});
afterEach(() => vi.unstubAllGlobals());

const MANY = `code\n${Array.from({ length: 25_000 }, (_, index) => index).join('\n')}`;

describe('a run', () => {
  it('sends the values in batches of 10,000, one after the other', async () => {
    prepare(MANY);
    expect(await start()).toBeUndefined();
    for (const [batch, length] of [10_000, 10_000, 5_000].entries()) {
      const call = await nthCall(batch + 1);
      expect(calls).toHaveLength(batch + 1);
      expect(call.values).toHaveLength(length);
      expect(readApiTest(queries).isComplete).toBe(false);
      call.respond(200, translations(call));
    }
    await vi.waitFor(() => expect(readApiTest(queries).isComplete).toBe(true), LONG_TIMEOUT);
    expect(statuses()).toEqual({ UNMAPPED: 25_000 });
    expect(calls.flatMap(({ values }) => values)).toEqual(MANY.split('\n').slice(1));
  });

  it('authenticates with the key, without the cookie, and records unmapped values only on request', async () => {
    prepare('code\nde');
    await start();
    await start(true);
    const call = await nthCall(2);
    expect(calls.map(({ url }) => url)).toEqual([
      '/api/crosswalks/7/translate?record=false',
      '/api/crosswalks/7/translate',
    ]);
    expect(call.init.credentials).toBe('omit');
    expect(new Headers(call.init.headers).get('Authorization')).toBe('Bearer rdm_secret');
  });

  it.each([401, 403])('shows a %i response in the rows of its batch, and the user stays signed in', async (status) => {
    markSession();
    prepare(MANY);
    await start();
    (await nthCall(1)).respond(status, { error: 'This API key is unknown' });
    const second = await nthCall(2);
    second.respond(200, translations(second));
    const third = await nthCall(3);
    third.respond(200, translations(third));
    await vi.waitFor(() => expect(readApiTest(queries).isComplete).toBe(true), LONG_TIMEOUT);
    expect(statuses()).toEqual({ FAILED: 10_000, UNMAPPED: 15_000 });
    expect(readApiTest(queries).transformedData?.[0]?.detail).toBe(`${status}: This API key is unknown`);
    expect(sessionExists()).toBe(true);
  });

  it('explains that the key may have no access to a crosswalk that is not found', async () => {
    prepare('code\nde');
    await start();
    (await nthCall(1)).respond(404, { error: 'Not found' });
    await vi.waitFor(() => expect(readApiTest(queries).isComplete).toBe(true), LONG_TIMEOUT);
    expect(readApiTest(queries).transformedData?.[0]?.detail).toBe(
      '404: Not found. The API key may have no access to this crosswalk',
    );
  });

  it('does not send a row with a wrong number of fields', async () => {
    prepare('code\nde\nfr,x');
    await start();
    expect((await nthCall(1)).values).toEqual(['de']);
    expect(statuses()).toEqual({ WAITING: 1, FAILED: 1 });
  });

  it('is complete immediately if no row is valid', async () => {
    prepare('code\nfr,x');
    await start();
    expect(readApiTest(queries).isComplete).toBe(true);
    expect(calls).toEqual([]);
  });

  it('returns the problem if the CSV has no rows', async () => {
    prepare('code');
    expect(await start()).toMatch(/no rows/);
    expect(readApiTest(queries).transformedData).toBeUndefined();
  });

  it.each([
    ['the page is cleared', () => clearApiTest(queries), {}],
    ['the user signs out', () => queries.removeQueries(), {}],
    ['the run is stopped', () => stopTest(queries), { FAILED: 25_000 }],
  ])('ends when %s', async (_, end, expected) => {
    prepare(MANY);
    await start();
    const call = await nthCall(1);
    end();
    call.respond(200, translations(call));
    // Gives a run that wrongly continues the time to send the next batch.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve));
    expect(calls).toHaveLength(1);
    expect(statuses()).toEqual(expected);
  });
});

describe('the state', () => {
  it('has its initial values after Clear', async () => {
    prepare('code\nde');
    await start();
    changeApiTest(queries, { page: 3, pageSize: 100 });
    clearApiTest(queries);
    expect(readApiTest(queries)).toEqual({
      apiKey: '',
      csvData: { text: '' },
      headers: [],
      selectedCrosswalk: undefined,
      translatedColumnIndex: undefined,
      transformedData: undefined,
      isComplete: false,
      page: 1,
      pageSize: 50,
    });
  });

  it('drops the rows when the column changes', async () => {
    prepare('code\nde');
    await start();
    changeInput(queries, { translatedColumnIndex: 1 });
    expect(readApiTest(queries)).toMatchObject({ transformedData: undefined, isComplete: false });
  });
});
