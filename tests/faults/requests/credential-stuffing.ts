/**
 * Attackers with lists of names and passwords: no attacker signs in or learns which accounts exist,
 * and no user is locked out permanently. FAULTS=long tries 10,000 passwords, and requires that the answer times for
 * used and unused names differ by less than 5%.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { done } from '../../stories/fixtures.ts';
import { HttpClient } from '../../stories/http-client.ts';
import {
  admin,
  countValues,
  createAccount,
  database,
  newBot,
  newName,
  PASSWORD,
  randomBelow,
  runInParallel,
  TRIES,
  useAccounts,
} from './accounts.ts';
import { guessPassword, measureInTurn, reportAndRequireSmallGap, TIMED_NAMES } from './answer-times.ts';
import { stack } from './stack.ts';

const LONG = process.env['FAULTS'] === 'long';
const ATTEMPTS = LONG ? 10_000 : 60;
/** Number of sign-ins of the owner during the attack. */
const OWNER_TURNS = LONG ? 20 : 10;
/** Number of wrong passwords of attackers for one account. The fifth wrong password locks the account. */
const GUESSES = LONG ? 30 : 10;

describe('credential stuffing', () => {
  useAccounts();

  it(`rejects ${ATTEMPTS} sign-ins of attackers, and accepts the owner on a known device`, async () => {
    const existingNames = await runInParallel(Math.ceil(ATTEMPTS / 50), createAccount);
    const names = [...existingNames, ...existingNames.map(newName)];
    const [victim = ''] = existingNames;
    const owner = new HttpClient(stack.baseUrl, '203.0.113.1');
    done(await owner.signIn(victim, PASSWORD));
    const before = Number((await database.query('SELECT count(*) AS n FROM identity.login_attempts')).rows[0].n);

    const ownerAnswers: number[] = [];
    let ownerTurns = 0;
    const answers = await runInParallel(ATTEMPTS, async (index) => {
      if (index % Math.ceil(ATTEMPTS / OWNER_TURNS) === 0) {
        ownerTurns += 1;
        ownerAnswers.push((await owner.signIn(victim, PASSWORD)).status);
      }
      // At least half of the attempts use the name of the victim.
      const name = index % 2 === 0 ? victim : (names[randomBelow(names.length)] as string);
      return { name, answer: await newBot().signIn(name, `Guess-number-${index}`) };
    });

    const statuses = countValues(answers.map(({ answer }) => answer.status));
    const wrong = countValues(answers.filter(({ answer }) => answer.status === 401).map(({ name }) => name));
    console.log(
      `${ATTEMPTS} attempts on ${names.length} names, half of them of existing accounts: ${JSON.stringify(statuses)}; ` +
        `at most ${Math.max(...Object.values(wrong))} per name were answered 401 before the lock; ` +
        `the owner signed in ${ownerAnswers.filter((status) => status === 200).length} of ${ownerTurns} times`,
    );
    expect(Object.keys(statuses).sort()).toEqual(['401', '429']);
    for (const [name, times] of Object.entries(wrong)) expect(times, name).toBeLessThanOrEqual(TRIES);
    expect(ownerAnswers).toEqual(ownerAnswers.map(() => 200));
    const after = Number((await database.query('SELECT count(*) AS n FROM identity.login_attempts')).rows[0].n);
    expect(after - before).toBe(ATTEMPTS + ownerTurns);
  });

  it('keeps an account locked for attackers, but accepts the owner after a password reset', async () => {
    const victim = await createAccount();
    const browser = new HttpClient(stack.baseUrl, '203.0.113.2');
    for (let time = 0; time < GUESSES; time++) await newBot().signIn(victim, 'Guessed-wrong-1');
    expect((await browser.signIn(victim, PASSWORD)).status).toBe(429);
    done(await browser.post('/api/reset-password/request', { email: `${victim}@example.com` }));
    const mailed = await admin.eventually(`/api/mail-outbox?q=${victim}`, ({ body }) => body.total === 1);
    const token = /token=([\w-]+)/.exec(mailed.body.items[0].text)?.[1];
    done(
      await browser.post('/api/reset-password', {
        token,
        password: 'Stuffed-second-2',
        confirmPassword: 'Stuffed-second-2',
      }),
    );
    for (let time = 0; time < GUESSES; time++) await newBot().signIn(victim, 'Guessed-wrong-1');
    expect((await newBot().signIn(victim, 'Stuffed-second-2')).status).toBe(429);
    done(await browser.signIn(victim, 'Stuffed-second-2'));
  });
});

describe('the existence of an account', () => {
  useAccounts();
  let existingNames: string[];
  let unusedNames: string[];
  beforeAll(async () => {
    existingNames = await runInParallel(TIMED_NAMES, createAccount);
    unusedNames = existingNames.map(newName);
  });

  it('is not revealed by the text, headers or time of the answer to a wrong password', async () => {
    await measureInTurn(
      TIMED_NAMES / 4,
      guessPassword(await runInParallel(4, createAccount)),
      guessPassword([newName(), newName(), newName(), newName()]),
    );
    reportAndRequireSmallGap(
      'A wrong password',
      await measureInTurn(TIMED_NAMES * TRIES, guessPassword(existingNames), guessPassword(unusedNames)),
    );
  });
  it('is not revealed by a request for a reset link', async () => {
    const requestReset = (names: string[]) => (turn: number) =>
      newBot().post('/api/reset-password/request', { email: `${names[turn % names.length]}@example.com` });
    reportAndRequireSmallGap(
      'Requesting a link',
      await measureInTurn(TIMED_NAMES * 3, requestReset(existingNames), requestReset(unusedNames)),
    );
  });
});
