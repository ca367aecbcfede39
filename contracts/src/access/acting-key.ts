/** The API key behind a change, and the text that names the actor of a change. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';

/** The API key of a change, in views: both members are null without a key. If only the name is null, it is hidden. */
export const ActingKey = defineView(() =>
  z.object({
    apiKeyId: z.number().nullable().describe('The API key that acted on behalf of the user.'),
    apiKeyName: z.string().nullable(),
  }),
);
export type ActingKey = z.infer<typeof ActingKey>;

/** “Sam Steward”, “API key "ERP" (Sam Steward)”, “An API key (Sam Steward)” if the name is hidden. */
export function actorText(person: string, { apiKeyId, apiKeyName }: ActingKey): string {
  if (apiKeyId === null) return person;
  return `${apiKeyName === null ? 'An API key' : `API key "${apiKeyName}"`} (${person})`;
}
