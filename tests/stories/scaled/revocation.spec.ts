/**
 * The end of a group membership ends access in open tabs, the feed of changes and a running download. The deadline is
 * five seconds. The test prints the measured times, and fails only after 30 seconds.
 */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { done, newCollection, newDataSet, newType } from '../fixtures.ts';
import { type HttpClient, signInAs, uniqueName } from '../http-client.ts';
import { openTab } from '../live-client.ts';
import { createSignedInUser, type SignedInUser } from '../signed-in-user.ts';

const DEADLINE_MS = 5_000;
/** Longer than the deadline, because a busy machine takes longer. */
const WAIT_LIMIT_MS = 30_000;

let admin: HttpClient;
let steward: HttpClient;
const closeCallbacks: (() => void)[] = [];
beforeAll(async () => {
  [admin, steward] = await Promise.all([signInAs('admin'), signInAs('steward')]);
});
afterEach(() => {
  for (const close of closeCallbacks.splice(0)) close();
});

/** Sends a request and returns its response, from which the test reads as much as it needs. */
async function openResponse(person: HttpClient, path: string): Promise<IncomingMessage> {
  const outgoing = request(`${person.baseUrl}${path}`, { headers: { Cookie: person.cookie } });
  outgoing.end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  closeCallbacks.push(() => response.destroy());
  return response;
}

interface Feed {
  text: string;
  ended: boolean;
}

async function openFeed(person: HttpClient): Promise<Feed> {
  const response = await openResponse(person, '/api/changes/stream');
  const feed: Feed = { text: '', ended: false };
  response.setEncoding('utf8').on('data', (text: string) => {
    feed.text += text;
  });
  response.on('error', () => undefined);
  response.once('close', () => {
    feed.ended = true;
  });
  await vi.waitFor(() => expect(feed.text).toContain('event: begin'));
  return feed;
}

interface Download {
  bytes: number;
  /** Undefined while the download runs. */
  end: 'complete' | 'aborted' | undefined;
}

/** Reads slowly, so that the download stays open. */
async function openDownload(person: HttpClient, path: string): Promise<Download> {
  const response = await openResponse(person, path);
  expect(response.statusCode).toBe(200);
  const download: Download = { bytes: 0, end: undefined };
  response.on('error', () => undefined);
  response.once('close', () => {
    download.end = response.complete ? 'complete' : 'aborted';
  });
  response.on('data', (chunk: Buffer) => {
    download.bytes += chunk.length;
    response.pause();
    setTimeout(() => response.resume(), 25);
  });
  await vi.waitFor(() => expect(download.bytes).toBeGreaterThan(0), { timeout: 20_000 });
  return download;
}

/** The number of rows of 10 KB each: more than all buffers between the database and the reader can hold. */
const LARGE_ROWS = 2_500;

async function importLargeDataSet(collectionId: number): Promise<number> {
  const dataSetId = await newDataSet(steward, await newType(steward), collectionId);
  const rows = Array.from({ length: LARGE_ROWS }, (_, index) => `${index},${'x'.repeat(10_000)}`);
  const parts = new FormData();
  parts.set('dataSetId', String(dataSetId));
  parts.set('file', new File([`code,name\n${rows.join('\n')}\n`], 'large.csv', { type: 'text/csv' }));
  const { id } = done(await steward.post('/api/imports', parts));
  const { jobId } = done(await steward.post(`/api/imports/${id}/start`, { description: 'Large', mode: 'insert' }));
  await steward.eventually(`/api/jobs/${jobId}`, ({ body }) => body.status === 'DONE', 120_000);
  return dataSetId;
}

/** Waits for each condition, and prints how long after the revocation it was met. */
async function waitForAll(conditions: Record<string, () => unknown>): Promise<void> {
  const startedAt = performance.now();
  const elapsed = await Promise.all(
    Object.entries(conditions).map(async ([name, isMet]) => {
      await vi.waitFor(async () => expect(await isMet(), name).toBe(true), { timeout: WAIT_LIMIT_MS, interval: 20 });
      return `${name} after ${Math.round(performance.now() - startedAt)} ms`;
    }),
  );
  console.log(`Refused: ${elapsed.join(', ')} (deadline ${DEADLINE_MS} ms)`);
}

describe('a group membership that ends', { timeout: 180_000 }, () => {
  let reader: SignedInUser;
  let groupId: number;
  let collectionId: number;
  let dataSetId: number;
  let readableDataSetId: number;
  beforeAll(async () => {
    reader = await createSignedInUser(admin, 4);
    groupId = done(await admin.post('/api/groups', { name: uniqueName('Group') })).id;
    done(await admin.put(`/api/groups/${groupId}/members`, { userIds: [reader.id] }));
    collectionId = await newCollection(steward, [{ entityType: 'group', entityId: groupId, permissionLevel: 'READ' }]);
    dataSetId = await importLargeDataSet(collectionId);
    const ownCollection = await newCollection(steward, [
      { entityType: 'user', entityId: reader.id, permissionLevel: 'READ' },
    ]);
    readableDataSetId = await newDataSet(steward, await newType(steward), ownCollection);
    await reader.person.eventually(
      `/api/reference-data/${dataSetId}/instances`,
      ({ body }) => body.total === LARGE_ROWS,
    );
    await reader.person.eventually(`/api/reference-data/${readableDataSetId}`, ({ status }) => status === 200);
  }, 180_000);

  it('ends access in two tabs, a feed and a download', async () => {
    const { person } = reader;
    const path = `/api/reference-data/${dataSetId}`;
    const tabs = await Promise.all([openTab(person), openTab(person)]);
    for (const tab of tabs) {
      closeCallbacks.push(tab.close);
      for (const id of [dataSetId, readableDataSetId])
        expect(await tab.join(`data-set:${id}`)).toMatchObject({ ok: true });
    }
    const feed = await openFeed(person);
    done(await steward.patch(path, { description: 'sent' }));
    await vi.waitFor(() => {
      for (const tab of tabs) expect(tab.changes.map(({ type }) => type)).toContain('DataSetDetailsChanged');
      expect(feed.text).toContain('event: DataSetDetailsChanged');
    });
    const download = await openDownload(person, `${path}/export?format=csv`);

    done(await admin.put(`/api/groups/${groupId}/members`, { userIds: [] }));
    await waitForAll({
      'first tab': () => tabs[0]?.accessNotices === 1,
      'second tab': () => tabs[1]?.accessNotices === 1,
      'rejoining the room': async () => !(await tabs[0]?.join(`data-set:${dataSetId}`))?.ok,
      feed: () => feed.ended,
      download: () => download.end === 'aborted',
      reading: async () => (await person.get(`${path}/instances`)).status === 404,
      'exporting again': async () => (await person.get(`${path}/export`)).status === 404,
    });
    expect(feed.text).toContain('"reason":"revoked"');

    const countsBefore = tabs.map(({ changes }) => changes.length);
    const secondFeed = await openFeed(person);
    done(await steward.patch(path, { description: 'no longer sent' }));
    done(await steward.patch(`/api/reference-data/${readableDataSetId}`, { description: 'still sent' }));
    await vi.waitFor(() => {
      for (const [index, tab] of tabs.entries()) expect(tab.changes.length).toBeGreaterThan(countsBefore[index] ?? 0);
      expect(secondFeed.text).toContain(`"subject":"data-set/${readableDataSetId}"`);
    });
    for (const [index, tab] of tabs.entries()) {
      expect(new Set(tab.changes.slice(countsBefore[index]).map(({ entityId }) => entityId))).toEqual(
        new Set([readableDataSetId]),
      );
    }
    expect(secondFeed.text).not.toContain(`"subject":"data-set/${dataSetId}"`);
  });

  it('does not prevent downloads by another user', async () => {
    const download = await openDownload(steward, `/api/reference-data/${readableDataSetId}/export?format=json`);
    await vi.waitFor(() => expect(download.end).toBe('complete'));
  });
});
