/** A system of a story: calls with an API key where people have a cookie, and reads what it wrote. */

import { done } from './fixtures.ts';
import { type Answer, Person, type Said, unique } from './http-client.ts';

export class System extends Person {
  readonly #secret: string;

  constructor(secret: string) {
    super();
    this.#secret = secret;
  }

  #said(said: Said = {}): Said {
    return { ...said, headers: { Authorization: `Bearer ${this.#secret}`, ...said.headers } };
  }

  override get(path: string, said?: Said): Promise<Answer> {
    return super.get(path, this.#said(said));
  }
  override post(path: string, body: unknown = {}, said?: Said): Promise<Answer> {
    return super.post(path, body, this.#said(said));
  }
  override put(path: string, body: unknown, said?: Said): Promise<Answer> {
    return super.put(path, body, this.#said(said));
  }
  override patch(path: string, body: unknown, said?: Said): Promise<Answer> {
    return super.patch(path, body, this.#said(said));
  }
  override delete(path: string, body?: unknown, said?: Said): Promise<Answer> {
    return super.delete(path, body, this.#said(said));
  }
}

export interface NewKey {
  id: number;
  name: string;
  secret: string;
  /** Who calls with it. */
  system: System;
}

/** A key of an administrator's with these scopes on collections. */
export async function newKey(
  administrator: Person,
  scopes: readonly (readonly [collectionId: number, scope: 'read' | 'translate' | 'write'])[],
  expiresAt: string | null = null,
): Promise<NewKey> {
  const name = unique('Key');
  const wanted = { name, scopes: scopes.map(([collectionId, scope]) => ({ collectionId, scope })), expiresAt };
  const { id, key } = done(await administrator.post('/api/api-keys', wanted));
  return { id, name, secret: key, system: new System(key) };
}
