/** The payload with which a signed-in user proves their identity again. */
import { z } from 'zod';

/** An id_token of a sign-in provider, in compact form. */
export const IdToken = z.string().min(1).max(20_000);

/** The password, or an id_token of a new sign-in at the provider. */
export const IdentityProof = z.object({
  password: z.string().max(1_000).optional().describe('The password of a user who has one.'),
  id_token: IdToken.optional().describe(
    'For a user of a sign-in provider: an id_token of a sign-in there within the last five minutes.',
  ),
});
export type IdentityProof = z.infer<typeof IdentityProof>;
