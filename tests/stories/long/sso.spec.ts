/** Single sign-on: the limit of refused tokens from one address. */
import { describe, expect, it } from 'vitest';
import { idTokenOf, newFlow } from '../../sso/browser-flow.ts';
import { done } from '../fixtures.ts';
import { addProviderUser, database, newAddress, postToken, stack, startSsoStack } from '../sso-sign-in.ts';

startSsoStack();

describe('invalid tokens from one address', () => {
  it('are refused with 429 after 100 tokens, and do not lock out other addresses', async () => {
    const address = newAddress();
    const countRecordedAttempts = async () =>
      (await database.query('SELECT count(*)::int AS n FROM identity.login_attempts WHERE ip_address = $1', [address]))
        .rows[0].n;
    const statuses: number[] = [];
    for (let sent = 0; sent < 103; sent += 1) {
      statuses.push((await postToken('not-a-token', newFlow(), {}, address)).status);
    }
    expect(statuses).toEqual([...Array(100).fill(401), 429, 429, 429]);
    expect(await countRecordedAttempts()).toBe(100);

    const { subject } = addProviderUser();
    const { idToken, flow } = await idTokenOf(stack.provider, stack.baseUrl, subject);
    expect(await postToken(idToken, flow, {}, address)).toMatchObject({
      status: 429,
      body: { error: expect.stringMatching(/^Too many failed sign-ins from your network address\. Try again in/) },
    });
    done(await postToken(idToken, flow));
  });
});
