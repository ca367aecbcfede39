/** A client of the public API for a user or a system. */
import { SAMPLE_DATA_CORRELATION_ID } from '@rdm/contracts';

/** Both methods throw an error with the beginning of the response text if the request is refused. */
export interface ApiClient {
  /** Repeated writes with the same idempotency key take effect once. */
  write(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, key: string, body: unknown): Promise<JsonObject>;
  read(path: string): Promise<JsonObject>;
}
type JsonObject = Record<string, unknown>;

/** While a service restarts, the API answers 503. The client sends a request at most 60 times, once a second. */
const ATTEMPTS = 60;

/** Signs a user in, and creates the client of the user. */
export async function signIn(baseUrl: string, username: string, password: string): Promise<ApiClient> {
  const answer = await send(baseUrl, 'POST', '/api/login', {}, { username, password });
  const cookie = answer.headers.getSetCookie().map((each) => each.split(';')[0]);
  return createClient(baseUrl, { Cookie: cookie.join('; ') });
}

export const withApiKey = (baseUrl: string, apiKey: string): ApiClient =>
  createClient(baseUrl, { 'X-API-Key': apiKey });

function createClient(baseUrl: string, credentials: Record<string, string>): ApiClient {
  /** The position of the last write. Reads wait for this position, so that they find a job that was just started. */
  let lastWrite = 0n;
  return {
    async write(method, path, key, body) {
      const headers = { ...credentials, 'Idempotency-Key': `sample-${key}` };
      const answer = await send(baseUrl, method, path, headers, body);
      const position = BigInt(answer.headers.get('X-Position') ?? 0);
      if (position > lastWrite) lastWrite = position;
      return (await answer.json()) as JsonObject;
    },
    async read(path) {
      const headers = { ...credentials, 'X-Min-Position': String(lastWrite) };
      return (await (await send(baseUrl, 'GET', path, headers)).json()) as JsonObject;
    },
  };
}

async function send(
  baseUrl: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<Response> {
  const isForm = body instanceof FormData;
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(isForm ? {} : { 'Content-Type': 'application/json' }),
        Origin: new URL(baseUrl).origin,
        'X-Correlation-Id': SAMPLE_DATA_CORRELATION_ID,
        ...headers,
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    if (answer.ok) return answer;
    const text = await answer.text();
    if (answer.status !== 503 || attempt === ATTEMPTS) {
      throw new Error(`${method} ${path} returned ${answer.status}: ${text.slice(0, 500)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}
