/** An API key as an actor: its scopes on collections and the routes that it may call. */
import { z } from 'zod';
import { Id } from '../text/fields.ts';

/** `translate` answers translations alone; `write` includes `read`. A key never approves (readings.md). */
export const KEY_SCOPES = ['read', 'translate', 'write'] as const;

export type KeyScopeName = (typeof KEY_SCOPES)[number];

export const KeyScope = z.object({ collectionId: Id, scope: z.enum(KEY_SCOPES) });

export type KeyScope = z.infer<typeof KeyScope>;

/** An API key as an actor: it has its own scopes, and its creator counts as the author. */
export interface ApiKeyActor {
  apiKeyId: number;
  createdBy: number;
  scopes: readonly KeyScope[];
}

/** Routes that an API key may call as if its role had them. Answers are limited to its scopes. */
export const API_KEY_ROUTES = [
  '/reference-types',
  '/collections',
  '/relationships',
  '/crosswalks',
  '/monitor',
  '/onboarding',
] as const;
