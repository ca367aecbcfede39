/** An HTTP client that authenticates with an API key, and the creation of keys. */
import { done } from './fixtures.ts';
import { type Answer, HttpClient, type RequestOptions, uniqueName } from './http-client.ts';

export class ApiKeyClient extends HttpClient {
  readonly #secret: string;

  constructor(secret: string) {
    super();
    this.#secret = secret;
  }

  #withKey(options: RequestOptions = {}): RequestOptions {
    return { ...options, headers: { Authorization: `Bearer ${this.#secret}`, ...options.headers } };
  }

  override get(path: string, options?: RequestOptions): Promise<Answer> {
    return super.get(path, this.#withKey(options));
  }
  override post(path: string, body: unknown = {}, options?: RequestOptions): Promise<Answer> {
    return super.post(path, body, this.#withKey(options));
  }
  override put(path: string, body: unknown, options?: RequestOptions): Promise<Answer> {
    return super.put(path, body, this.#withKey(options));
  }
  override patch(path: string, body: unknown, options?: RequestOptions): Promise<Answer> {
    return super.patch(path, body, this.#withKey(options));
  }
  override delete(path: string, body?: unknown, options?: RequestOptions): Promise<Answer> {
    return super.delete(path, body, this.#withKey(options));
  }
}

export interface NewKey {
  id: number;
  name: string;
  secret: string;
  /** A client that uses the key. */
  client: ApiKeyClient;
}

/** Creates a key with these scopes on collections; without `expiresAt`, the key does not expire. */
export async function newKey(
  administrator: HttpClient,
  scopes: readonly (readonly [collectionId: number, scope: 'read' | 'translate' | 'write'])[],
  expiresAt: string | null = null,
): Promise<NewKey> {
  const name = uniqueName('Key');
  const body = { name, scopes: scopes.map(([collectionId, scope]) => ({ collectionId, scope })), expiresAt };
  const { id, key } = done(await administrator.post('/api/api-keys', body));
  return { id, name, secret: key, client: new ApiKeyClient(key) };
}
