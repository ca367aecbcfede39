/** An API key as an actor: its scopes on collections and the routes that it may call. */
import { z } from 'zod';
import { Id } from '../text/fields.ts';

/** `translate` only allows translations; `write` includes `read`. A key can never approve (decision 17). */
export const KEY_SCOPES = ['read', 'translate', 'write'] as const;

export type KeyScopeName = (typeof KEY_SCOPES)[number];

export const KeyScope = z.object({ collectionId: Id, scope: z.enum(KEY_SCOPES) });

export type KeyScope = z.infer<typeof KeyScope>;

/** The user `createdBy` counts as the author of what the key changes. */
export interface ApiKeyActor {
  apiKeyId: number;
  /**
   * The user to whom the secret of the request was shown: the creator of the key, or a user who rotated the key. For a
   * key that was loaded by its id, this is the creator.
   */
  createdBy: number;
  scopes: readonly KeyScope[];
}

/** A key with a `read` or `write` scope may call the API routes of these pages. The scopes limit the responses. */
export const API_KEY_ROUTES = [
  '/reference-types',
  '/collections',
  '/relationships',
  '/crosswalks',
  '/monitor',
  '/onboarding',
] as const;
