/** A person who uses the public API: signs in, then writes under a session, each write with a key of its own. */

export interface ApiPerson {
  /** Sends a write; repeating it under the same key is one effect. Throws with the answer's words when it is refused. */
  write(method: 'POST' | 'PUT' | 'DELETE', path: string, key: string, body: unknown): Promise<Record<string, unknown>>;
}

/** While a part restarts the API says 503 and when to try again; loading is patient for about a minute. */
const ATTEMPTS = 60;

export async function signIn(baseUrl: string, username: string, password: string): Promise<ApiPerson> {
  const answer = await send(baseUrl, 'POST', '/api/login', {}, { username, password });
  const cookie = answer.headers.getSetCookie().map((each) => each.split(';')[0]);
  return {
    async write(method, path, key, body) {
      const headers = { Cookie: cookie.join('; '), 'Idempotency-Key': `sample-${key}` };
      const written = await send(baseUrl, method, path, headers, body);
      return (await written.json()) as Record<string, unknown>;
    },
  };
}

async function send(
  baseUrl: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: unknown,
): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', Origin: new URL(baseUrl).origin, ...headers },
      body: JSON.stringify(body),
    });
    if (answer.ok) return answer;
    const said = await answer.text();
    if (answer.status !== 503 || attempt === ATTEMPTS) {
      throw new Error(`${method} ${path} was answered ${answer.status}: ${said.slice(0, 500)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}
