/** Somebody nobody else knows: a new user, signed in. */
import { randomUUID } from 'node:crypto';
import { done } from './fixtures.ts';
import { type Json, Person } from './http-client.ts';

const PASSWORD = 'Story-pass-1';

export interface Newcomer {
  id: number;
  person: Person;
}

export async function newcomer(admin: Person, roleId: number, user: Json = {}): Promise<Newcomer> {
  const username = `user-${randomUUID().slice(0, 8)}`;
  const { id } = done(
    await admin.post('/api/users', {
      username,
      email: `${username}@example.com`,
      password: PASSWORD,
      roleId,
      requirePasswordChange: false,
      ...user,
    }),
  );
  const person = new Person(admin.baseUrl);
  done(await person.signIn(username, PASSWORD));
  return { id, person };
}
