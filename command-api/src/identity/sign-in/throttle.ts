/** Rate limits per window, keyed by hashes of addresses or mailboxes. */
import { createHmac } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { type Queryable, refuseSlowly } from '@rdm/platform';
import { formatMinutes } from './lockout.ts';

export interface Limit {
  name: string;
  most: number;
  minutes: number;
}

/** A limit whose message the caller sees; `hitsText` completes "Too many …". */
export interface ReportedLimit extends Limit {
  hitsText: string;
}

/**
 * Failed sign-ins in unknown browsers from one network, including failed sign-ins through the provider. Failures in
 * known browsers do not count, so that the limit suffices for a thousand people behind one address.
 */
export const FAILURES_FROM_ADDRESS: ReportedLimit = {
  name: 'sign-in failures of an address',
  hitsText: 'failed sign-ins from your network address',
  most: 100,
  minutes: 15,
};
/** Registrations from one network: the limit suffices for a class of trainees and stops a script. */
export const REGISTRATIONS_FROM_ADDRESS: ReportedLimit = {
  name: 'registrations from an address',
  hitsText: 'registrations from your network address',
  most: 60,
  minutes: 60,
};
export const RESET_MAILS_TO_MAILBOX: Limit = { name: 'reset mails to a mailbox', most: 3, minutes: 60 };
export const RESET_MAILS_FROM_ADDRESS: Limit = { name: 'reset mails from an address', most: 20, minutes: 60 };

const subjectOf = (secret: string, limit: Limit, key: string) =>
  createHmac('sha256', secret).update(`throttle\0${limit.name}\0${key}`).digest('base64url');

/**
 * Counts a hit; call this before the work, so that concurrent hits count too. Returns 0 within the limit, and beyond it
 * the seconds until the window ends. Hits never extend the window.
 */
export async function countHit(db: Queryable, secret: string, limit: Limit, key: string): Promise<number> {
  const { rows } = await db.query<{ hits: number; seconds: number }>(
    `INSERT INTO identity.throttles AS t (subject, hits, ends_at) VALUES ($1, 1, now() + $2 * interval '1 minute')
     ON CONFLICT (subject) DO UPDATE SET
       hits = CASE WHEN t.ends_at <= now() THEN 1 ELSE t.hits + 1 END,
       ends_at = CASE WHEN t.ends_at <= now() THEN excluded.ends_at ELSE t.ends_at END
     RETURNING hits, greatest(1, ceil(extract(epoch FROM ends_at - now())))::integer AS seconds`,
    [subjectOf(secret, limit, key), limit.minutes],
  );
  const row = rows[0];
  return row === undefined || row.hits <= limit.most ? 0 : row.seconds;
}

/** Counts a hit. Beyond the limit, refuses the request with 429 and the time until the window ends. */
export async function requireWithinLimit(
  db: Queryable,
  secret: string,
  limit: ReportedLimit,
  key: string,
): Promise<void> {
  const seconds = await countHit(db, secret, limit, key);
  if (seconds === 0) return;
  const message = `Too many ${limit.hitsText}. Try again in ${formatMinutes(seconds)}`;
  await refuseSlowly(message, seconds);
}

/** Takes back a hit that should not count. */
export async function refundHit(db: Queryable, secret: string, limit: Limit, key: string): Promise<void> {
  await db.query('UPDATE identity.throttles SET hits = hits - 1 WHERE subject = $1 AND hits > 0', [
    subjectOf(secret, limit, key),
  ]);
}

/**
 * The network of an address: for IPv6 its /64 prefix, which one household or machine has; for IPv4, also in IPv6
 * notation, the IPv4 address. Other texts are returned unchanged.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || isIPv4(address)) return mapped ?? address;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const [before, after] = [groups(head), groups(tail ?? '')];
  // A suffix in the notation of IPv4 represents two groups.
  const length = [...before, ...after].reduce((sum, group) => sum + (group.includes('.') ? 2 : 1), 0);
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - length)).fill('0');
  const network = [...before, ...zeros, ...after].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
}
