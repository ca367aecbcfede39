/** Uploads files as import drafts, and changes their settings. */
import { beforeAll } from 'vitest';
import { done, newCollection, userIds } from './fixtures.ts';
import { type HttpClient, type Json, signInAs } from './http-client.ts';

export let admin: HttpClient;
export let steward: HttpClient;
export let approver: HttpClient;
export let viewer: HttpClient;
export let collectionId: number;

async function upload(content: string | Buffer, fileName: string, person = steward): Promise<Json> {
  const form = new FormData();
  form.set('file', new File([new Uint8Array(Buffer.from(content))], fileName));
  return done(await person.post('/api/imports', form));
}

export const waitForReading = async (id: string, person = steward): Promise<Json> =>
  (await person.eventually(`/api/imports/${id}`, ({ body }) => body.state !== 'READING')).body;

/** Uploads a file and waits until it is read; returns the draft. */
export const uploadDraft = async (content: string | Buffer, fileName = 'codes.csv', person = steward): Promise<Json> =>
  waitForReading((await upload(content, fileName, person)).id, person);

export const changeDraft = async (id: string, settings: Json, person = steward): Promise<Json> =>
  done(await person.patch(`/api/imports/${id}`, settings));

/** Signs users in and creates a collection before the tests of a file. */
export function prepareDrafts(): void {
  beforeAll(async () => {
    [admin, steward, approver, viewer] = await Promise.all([
      signInAs('admin'),
      signInAs('steward'),
      signInAs('approver'),
      signInAs('viewer'),
    ]);
    const ids = await userIds(steward);
    collectionId = await newCollection(steward, [
      { entityType: 'user', entityId: ids['viewer'], permissionLevel: 'READ' },
      { entityType: 'user', entityId: ids['approver'], permissionLevel: 'WRITE' },
    ]);
  });
}
