/** Single sign-on: the limit of refused tokens from one address. */
import { describe, expect, it } from 'vitest';
import { idTokenOf, newFlow } from '../../sso/browser-flow.ts';
import { done } from '../fixtures.ts';
import { addProviderUser, newAddress, post, stack, startSsoStack, vault } from '../sso-sign-in.ts';

startSsoStack();

describe('refused tokens from one address', () => {
  it('get 429 after 100, are no longer recorded, and lock no other address out', async () => {
    const address = newAddress();
    const countRecordedAttempts = async () =>
      (await vault.query('SELECT count(*)::int AS n FROM identity.login_attempts WHERE ip_address = $1', [address]))
        .rows[0].n;
    const statuses: number[] = [];
    for (let sent = 0; sent < 103; sent += 1) {
      statuses.push((await post('not-a-token', newFlow(), {}, address)).status);
    }
    expect(statuses).toEqual([...Array(100).fill(401), 429, 429, 429]);
    expect(await countRecordedAttempts()).toBe(100);

    const { subject } = addProviderUser();
    const { idToken, flow } = await idTokenOf(stack.provider, stack.baseUrl, subject);
    expect(await post(idToken, flow, {}, address)).toMatchObject({
      status: 429,
      body: { error: expect.stringMatching(/^Too many failed sign-ins from your network address\. Try again in/) },
    });
    done(await post(idToken, flow));
  });
});
