/** The options for the expiry of a new key, and for the time during which the old secret works after a rotation. */
export const EXPIRIES = ['30', '90', '365', 'day', 'never'] as const;
export type Expiry = (typeof EXPIRIES)[number];

const EXPIRY_WORDS: Readonly<Record<Expiry, string>> = {
  30: 'In 30 days',
  90: 'In 90 days',
  365: 'In one year',
  day: 'On a day of your choice',
  never: 'Never',
};
export const EXPIRY_OPTIONS = EXPIRIES.map((value) => ({ value, label: EXPIRY_WORDS[value] }));

const DAY_MS = 86_400_000;

/** A key expires at the end of a chosen day. Returns null if a key never expires, undefined for an invalid day. */
export function expiryTime(expiry: Expiry, day: string, now: Date): string | null | undefined {
  if (expiry === 'never') return null;
  if (expiry !== 'day') return new Date(now.getTime() + Number(expiry) * DAY_MS).toISOString();
  const end = new Date(`${day}T23:59:59.999`);
  return Number.isNaN(end.getTime()) ? undefined : end.toISOString();
}

/** The hours during which both secrets are valid after a rotation. */
export const OVERLAPS = [
  { value: '0', label: '0 hours: the old secret expires immediately' },
  { value: '1', label: '1 hour' },
  { value: '24', label: '24 hours' },
  { value: '168', label: '7 days' },
  { value: '720', label: '30 days' },
] as const;
