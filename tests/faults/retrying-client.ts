/** A client that repeats a request under one key until it gets a final answer, for at most 90 seconds. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

interface Answer {
  status: number;
  text: string;
}

export class RetryingClient {
  readonly #baseUrl: string;
  #cookie = '';
  /** The longest time from the first attempt of a request to its final answer. */
  longestWaitMs = 0;

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  async signIn(username: string, password: string): Promise<void> {
    const answer = await fetch(`${this.#baseUrl}/api/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: this.#baseUrl },
      body: JSON.stringify({ username, password }),
    });
    if (!answer.ok) throw new Error(`${username} could not sign in: ${answer.status}`);
    this.#cookie = answer.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ');
  }

  async send(method: string, path: string, body?: unknown, key: string = randomUUID()): Promise<Answer> {
    const startedAt = Date.now();
    for (const endAt = startedAt + 90_000; ; await pause(50)) {
      const request = fetch(this.#baseUrl + path, {
        method,
        headers: {
          ...(body instanceof FormData ? {} : { 'Content-Type': 'application/json' }),
          'Idempotency-Key': key,
          Origin: this.#baseUrl,
          Cookie: this.#cookie,
        },
        ...(method === 'GET' ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
      });
      const answer = await request.then(
        async (response): Promise<Answer> => ({ status: response.status, text: await response.text() }),
        (error: Error): Answer => ({ status: 0, text: error.message }),
      );
      const isUnfinished = answer.status === 0 || answer.status >= 500 || answer.text.includes('IN_PROGRESS');
      if (!isUnfinished) {
        this.longestWaitMs = Math.max(this.longestWaitMs, Date.now() - startedAt);
        return answer;
      }
      if (Date.now() > endAt) throw new Error(`${method} ${path} got no final answer: ${answer.status} ${answer.text}`);
    }
  }
}

export const bodyOf = ({ status, text }: Answer) => {
  if (status >= 300) throw new Error(`${status}: ${text}`);
  return JSON.parse(text);
};
