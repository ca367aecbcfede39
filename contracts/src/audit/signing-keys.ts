/**
 * Keys that sign the audit log, backups and manifests of purges. Each key is registered in the log, so that signatures
 * of earlier keys can still be verified.
 */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { type EventsOf, event } from '../events/event.ts';

const KeyId = z.string().regex(/^[0-9a-f]{16}$/);

export const signingKeyEvents = {
  /** `publicKey` is PEM (SPKI). */
  SigningKeyRegistered: event(z.object({ keyId: KeyId, publicKey: z.string() })),
};
export type SigningKeyEvent = EventsOf<typeof signingKeyEvents>;

/** The public keys by key id. The fold changes the map in place. */
export type SigningKeys = Map<string, string>;

export function evolveSigningKeys(state: SigningKeys, { data }: SigningKeyEvent): SigningKeys {
  return state.set(data.keyId, data.publicKey);
}

/** One row of GET /api/audit-logs/keys. */
export const SigningKeyView = defineView(() =>
  z.object({
    keyId: z.string().describe('The first 16 hexadecimal digits of the SHA-256 of the public key in DER form.'),
    publicKey: z.string().describe('An Ed25519 key in PEM form (SPKI).'),
    registeredAt: z.string(),
  }),
);
export type SigningKeyView = z.infer<typeof SigningKeyView>;
