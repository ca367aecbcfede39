/** Validates rows against a data set or a type. */
import { randomUUID } from 'node:crypto';
import { beforeAll, inject } from 'vitest';
import { newCollection, newDataSet, newType } from './fixtures.ts';
import { type HttpClient, type Json, signInAs } from './http-client.ts';

export let admin: HttpClient;
export let steward: HttpClient;
export let typeId: number;
export let dataSetId: number;

/** Validates `content` against the data set or type in `target`, a query string such as `dataSetId=1`. */
export async function validate(
  person: HttpClient,
  target: string,
  content: string | Uint8Array<ArrayBuffer>,
  requestId: string = randomUUID(),
): Promise<{ status: number; body: Json }> {
  const response = await fetch(`${inject('baseUrl')}/api/validation-test?${target}`, {
    method: 'POST',
    headers: { Cookie: person.cookie, Origin: inject('baseUrl'), 'X-Request-Id': requestId },
    body: content,
  });
  return { status: response.status, body: await response.json() };
}

/** Creates a type and a data set before the tests of a file. */
export function prepareValidation(): void {
  beforeAll(async () => {
    [admin, steward] = await Promise.all([signInAs('admin'), signInAs('steward')]);
    typeId = await newType(steward, [
      { name: 'size', dataType: 'number' },
      { name: 'since', dataType: 'date' },
    ]);
    dataSetId = await newDataSet(steward, typeId, await newCollection(steward), [{ code: 'AT' }]);
  });
}
