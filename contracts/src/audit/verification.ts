/** The result of a verification of the audit log, as data and as text, for the server and the offline verifier. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';

/** A purge in the result of a verification. */
export const VerifiedPurge = defineView(() =>
  z.object({
    purgeId: z.number(),
    events: z.number(),
    at: z.string().describe('When the manifest of the purge was sealed.'),
    requestedBy: z.string().nullable(),
    confirmedBy: z.string().nullable(),
    reason: z.string(),
  }),
);
export type VerifiedPurge = z.infer<typeof VerifiedPurge>;

/** GET /api/audit-logs/verify. */
export const ChainVerification = defineView(() =>
  z.object({
    intact: z.boolean(),
    verified: z.number().describe('The number of verified entries; if one fails, the number of entries before it.'),
    head: z.object({ seq: z.number(), chainHash: z.string() }).nullable(),
    brokenAt: z.object({ seq: z.number(), reason: z.string() }).nullable(),
    purged: z
      .number()
      .describe('The number of verified entries whose events were purged, so that only their digests are known.'),
    purges: z.array(VerifiedPurge).describe('The purges whose manifests and signatures were verified.'),
    notes: z.array(z.string()).describe('Notes for administrators and auditors; they are not errors.'),
    summary: z.string().describe('The result in words.'),
  }),
);
export type ChainVerification = z.infer<typeof ChainVerification>;

/** Two of the reasons why a log is broken: an event is in no stream and in no manifest, or its digest differs. */
export const missingEventReason = (seq: number): string => `Event ${seq} is missing and no purge names it`;
export const digestMismatchReason = (seq: number): string => `Digest of event ${seq} differs`;

/** Notes about purges in the result of a verification. The event store removes purged events when it is scavenged. */
export const scavengeDueNote = (stored: number): string =>
  `${formatCount(stored)} purged ${stored === 1 ? 'event is' : 'events are'} still stored until the next scavenge of the event store`;
export const newerThanHeadNote = (purgeId: number): string =>
  `Purge ${purgeId} is newer than the exported head that you compare with`;

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** `Purged on 26 November 2026 by purge 4`; `at` is an ISO instant. */
export const purgedOn = (at: string, purgeId: number): string =>
  `Purged on ${DAY.format(new Date(at))} by purge ${purgeId}`;

const formatCount = (count: number): string => count.toLocaleString('en-US');

/** The result in words. */
export function describeVerification({
  verified,
  brokenAt,
  purged,
  purges,
}: Pick<ChainVerification, 'verified' | 'brokenAt' | 'purged' | 'purges'>): string {
  if (brokenAt !== null) return `Broken at event ${brokenAt.seq}: ${brokenAt.reason}.`;
  const events = `Intact. ${formatCount(verified)} ${verified === 1 ? 'event' : 'events'}`;
  if (purged === 0) return `${events}.`;
  return `${events}; ${formatCount(purged)} known by digest only: ${purges.map(describePurge).join('; ')}.`;
}

/** `purge 4, 2026-11-20, by admin, confirmed by olga: 'retention R7'`. */
export function describePurge({
  purgeId,
  at,
  requestedBy,
  confirmedBy,
  reason,
}: Omit<VerifiedPurge, 'events'>): string {
  const people = [
    requestedBy === null ? '' : `, by ${requestedBy}`,
    confirmedBy === null ? '' : `, confirmed by ${confirmedBy}`,
  ];
  return `purge ${purgeId}, ${at.slice(0, 10)}${people.join('')}: '${reason}'`;
}

/** The head of the audit log in a file; the signature covers all other members. */
export const SignedHead = defineView(() =>
  z.object({
    logId: z.string().describe('The id of the log of this installation. A restore begins a new log.'),
    seq: z.number(),
    chainHash: z.string(),
    at: z.string().describe('The time of the last entry.'),
    keyId: z.string(),
    signature: z.string().describe('Ed25519 over the canonical JSON of the other members, in base64.'),
  }),
);
export type SignedHead = z.infer<typeof SignedHead>;
