/**
 * The last administrator cannot give up the role, be deactivated or be erased. The test has a separate stack, because
 * all administrators but one are removed.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestStack, type TestStack } from '../test-stack.ts';
import { done } from './fixtures.ts';
import { HttpClient } from './http-client.ts';

const PASSWORD = 'Story-pass-1';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack('last-administrator', { adminPassword: PASSWORD });
});
afterAll(() => stack?.stop());

describe('the last administrator', () => {
  it('remains if all administrators remove themselves at the same time', async () => {
    const admin = new HttpClient(stack.baseUrl);
    done(await admin.signIn('admin', PASSWORD));
    const first = { id: done(await admin.get('/api/user')).id as number, person: admin };
    const others = await Promise.all(
      Array.from({ length: 5 }, async (_, index) => {
        const username = `administrator-${index}`;
        const user = { username, email: `${username}@example.com`, password: PASSWORD, roleId: 1 };
        const { id } = done(await admin.post('/api/users', { ...user, requirePasswordChange: false }));
        const person = new HttpClient(stack.baseUrl);
        done(await person.signIn(username, PASSWORD));
        return { id: id as number, person };
      }),
    );
    const removals = [
      (person: HttpClient, id: number) => person.patch(`/api/users/${id}`, { roleId: 4 }),
      (person: HttpClient, id: number) => person.post(`/api/users/${id}/deactivate`),
      (person: HttpClient, id: number) => person.post(`/api/users/${id}/erase`),
    ];
    const administrators = [...others, first];
    const answers = await Promise.all(
      administrators.map(({ id, person }, index) => removals[index % removals.length]?.(person, id)),
    );
    expect(answers).toHaveLength(6);
    const refused = answers.filter((answer) => answer?.status !== 200);
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatchObject({
      status: 409,
      body: {
        code: 'LAST_ADMINISTRATOR',
        error: 'This is the last administrator: make another user an administrator first',
      },
    });
    const remaining = administrators[answers.findIndex((answer) => answer?.status === 409)];
    if (remaining === undefined) throw new Error('No administrator remains');
    for (const remove of removals) {
      expect((await remove(remaining.person, remaining.id)).body.code).toBe('LAST_ADMINISTRATOR');
    }
  });
});
