/**
 * Attacks with lists of names: an address with many failures is refused, and answer times do not reveal which accounts
 * exist. FAULTS=long limits the time difference to 5%.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { done } from '../../../stories/fixtures.ts';
import { HttpClient } from '../../../stories/http-client.ts';
import {
  countValues,
  createAccount,
  database,
  newBot,
  newName,
  PASSWORD,
  runInParallel,
  TRIES,
  useAccounts,
} from '../../requests/accounts.ts';
import { guessPassword, measureInTurn, reportAndRequireSmallGap, TIMED_NAMES } from '../../requests/answer-times.ts';
import { stack } from '../../requests/stack.ts';

describe('credential stuffing', () => {
  useAccounts();

  it('is refused after 100 failures from an address, except from known browsers', async () => {
    const victim = await createAccount();
    const address = '203.0.113.77';
    const colleague = new HttpClient(stack.baseUrl, address);
    done(await colleague.signIn(victim, PASSWORD));
    const answers = await runInParallel(130, () => newBot(address).signIn(newName(), 'Guessed-wrong-1'));
    expect(countValues(answers.map(({ status }) => status))).toEqual({ 401: 100, 429: 30 });
    const failures = 'SELECT FROM identity.login_attempts WHERE ip_address = $1 AND NOT success';
    expect((await database.query(failures, [address])).rowCount).toBe(100);
    const rightPassword = await newBot(address).signIn(victim, PASSWORD);
    expect(rightPassword).toMatchObject({
      status: 429,
      body: {
        error: expect.stringMatching(
          /^Too many failed sign-ins from your network address\. Try again in \d+ minutes?$/,
        ),
      },
    });
    expect(Number(rightPassword.headers.get('Retry-After'))).toBeGreaterThan(0);
    done(await colleague.signIn(victim, PASSWORD));
    done(await newBot('203.0.113.78').signIn(victim, PASSWORD));
  });
});

describe('the existence of an account', () => {
  useAccounts();
  let existingNames: string[];
  let unusedNames: string[];
  beforeAll(async () => {
    existingNames = await runInParallel(TIMED_NAMES, createAccount);
    unusedNames = existingNames.map(newName);
    const guess = guessPassword([...existingNames, ...unusedNames]);
    // After these failures, one more failure locks each of the names.
    await runInParallel(TIMED_NAMES * 2 * TRIES, guess);
  });

  it('is not revealed by answer times while a name is being locked or afterwards', async () => {
    reportAndRequireSmallGap(
      'The failure that locks',
      await measureInTurn(TIMED_NAMES, guessPassword(existingNames), guessPassword(unusedNames)),
    );
    reportAndRequireSmallGap(
      'A locked name',
      await measureInTurn(TIMED_NAMES * 2, guessPassword(existingNames), guessPassword(unusedNames)),
    );
  });
});
