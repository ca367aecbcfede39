/** Throttles: how often something may be asked for within a window, by whom or about whom; kept as keyed hashes. */
import { createHmac } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { Refusal } from '@rdm/contracts';
import type { Queryable } from '@rdm/platform';
import { inMinutes } from './lockout.ts';

export interface Limit {
  name: string;
  most: number;
  minutes: number;
}

/** A limit whose callers learn that they reached it: `what` says of what there were too many. */
export interface StatedLimit extends Limit {
  what: string;
}

/**
 * Failures of strangers from one address. A thousand people behind one address mistype less often than this within a
 * quarter of an hour, and browsers on which somebody signed in before do not count.
 * Single sign-ons that are refused count with them.
 */
export const FAILURES_FROM_ADDRESS: StatedLimit = {
  name: 'sign-in failures of an address',
  what: 'failed sign-ins from your network address',
  most: 100,
  minutes: 15,
};
/** Registrations from one address: a training room full of people, not a machine. */
export const REGISTRATIONS_FROM_ADDRESS: StatedLimit = {
  name: 'registrations from an address',
  what: 'registrations from your network address',
  most: 60,
  minutes: 60,
};
export const RESET_MAILS_TO_MAILBOX: Limit = { name: 'reset mails to a mailbox', most: 3, minutes: 60 };
export const RESET_MAILS_FROM_ADDRESS: Limit = { name: 'reset mails from an address', most: 20, minutes: 60 };

const subjectOf = (secret: string, limit: Limit, key: string) =>
  createHmac('sha256', secret).update(`throttle\0${limit.name}\0${key}`).digest('base64url');

/**
 * Takes one turn before anything is done for it, so that turns taken at the same time count too. Answers 0, or the
 * seconds until there are turns again. Asking in vain is counted and does not make it longer.
 */
export async function takeTurn(db: Queryable, secret: string, limit: Limit, key: string): Promise<number> {
  const { rows } = await db.query<{ hits: number; seconds: number }>(
    `INSERT INTO identity.throttles AS t (subject, hits, ends_at) VALUES ($1, 1, now() + $2 * interval '1 minute')
     ON CONFLICT (subject) DO UPDATE SET
       hits = CASE WHEN t.ends_at <= now() THEN 1 ELSE t.hits + 1 END,
       ends_at = CASE WHEN t.ends_at <= now() THEN excluded.ends_at ELSE t.ends_at END
     RETURNING hits, greatest(1, ceil(extract(epoch FROM ends_at - now())))::integer AS seconds`,
    [subjectOf(secret, limit, key), limit.minutes],
  );
  const turn = rows[0];
  return turn === undefined || turn.hits <= limit.most ? 0 : turn.seconds;
}

/** Takes a turn, or throws 429 with the time when there are turns again. */
export async function requireTurn(db: Queryable, secret: string, limit: StatedLimit, key: string): Promise<void> {
  const seconds = await takeTurn(db, secret, limit, key);
  if (seconds === 0) return;
  const message = `Too many ${limit.what}. Try again in ${inMinutes(seconds)}`;
  throw new Refusal('TOO_MANY_REQUESTS', message, undefined, seconds);
}

/** Gives a turn back that was not needed. */
export async function giveBackTurn(db: Queryable, secret: string, limit: Limit, key: string): Promise<void> {
  await db.query('UPDATE identity.throttles SET hits = hits - 1 WHERE subject = $1 AND hits > 0', [
    subjectOf(secret, limit, key),
  ]);
}

/** Whose line an address is: of IPv6, the network of 64 bits that a household or a machine has to itself. */
export function lineOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || isIPv4(address)) return mapped ?? address;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const [before, after] = [groups(head), groups(tail ?? '')];
  // A dotted ending is two groups.
  const length = [...before, ...after].reduce((sum, group) => sum + (group.includes('.') ? 2 : 1), 0);
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - length)).fill('0');
  const network = [...before, ...zeros, ...after].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
}
