/** Creates users and signs them in. */
import { randomUUID } from 'node:crypto';
import { done } from './fixtures.ts';
import { HttpClient, type Json } from './http-client.ts';

const PASSWORD = 'Story-pass-1';

export interface SignedInUser {
  id: number;
  /** The HTTP client with the session of the user. */
  person: HttpClient;
}

export async function createSignedInUser(
  admin: HttpClient,
  roleId: number,
  properties: Json = {},
): Promise<SignedInUser> {
  const username = `user-${randomUUID().slice(0, 8)}`;
  const { id } = done(
    await admin.post('/api/users', {
      username,
      email: `${username}@example.com`,
      password: PASSWORD,
      roleId,
      requirePasswordChange: false,
      ...properties,
    }),
  );
  const person = new HttpClient(admin.baseUrl);
  done(await person.signIn(username, PASSWORD));
  return { id, person };
}
