/** A person of a story: signs in over HTTP, reads what they wrote, and waits for what others do. */
import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { ADMIN_PASSWORD, SAMPLE_PASSWORD } from './stack.ts';

/** An answer, whatever its status. */
// biome-ignore lint/suspicious/noExplicitAny: stories look into answers of every shape.
export type Json = any;

export interface Answer {
  status: number;
  body: Json;
  headers: Headers;
}

export interface Said {
  key?: string;
  ifMatch?: number;
  headers?: Record<string, string>;
}

export class Person {
  readonly baseUrl: string;
  /** The address they come from, where it is not this machine's. */
  readonly #address: string | undefined;
  readonly #cookies = new Map<string, string>();
  /** Position of the last write: reads ask for it, so that people see what they did. */
  #position: string | undefined;

  constructor(baseUrl: string = inject('baseUrl'), address?: string) {
    this.baseUrl = baseUrl;
    this.#address = address;
  }

  signIn(username: string, password: string): Promise<Answer> {
    return this.post('/api/login', { username, password });
  }

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** What they read includes what they wrote, however busy the machine: an answer that says it is behind is asked again. */
  async get(path: string, said: Said = {}): Promise<Answer> {
    for (;;) {
      const answer = await this.#send('GET', path, undefined, said);
      if (answer.headers.get('X-Behind') !== 'true' && answer.body?.code !== 'BEHIND') return answer;
    }
  }
  post(path: string, body: unknown = {}, said: Said = {}): Promise<Answer> {
    return this.#send('POST', path, body, said);
  }
  put(path: string, body: unknown, said: Said = {}): Promise<Answer> {
    return this.#send('PUT', path, body, said);
  }
  patch(path: string, body: unknown, said: Said = {}): Promise<Answer> {
    return this.#send('PATCH', path, body, said);
  }
  delete(path: string, body?: unknown, said: Said = {}): Promise<Answer> {
    return this.#send('DELETE', path, body, said);
  }

  /** Reads until the answer is as expected: for what others did, which reaches the read models when it does. */
  async eventually(path: string, expected: (answer: Answer) => boolean, withinMs = 20_000): Promise<Answer> {
    const until = Date.now() + withinMs;
    for (;;) {
      const answer = await this.get(path);
      if (expected(answer)) return answer;
      if (Date.now() > until) {
        throw new Error(`${path} never became as expected; at last: ${answer.status} ${JSON.stringify(answer.body)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async #send(method: string, path: string, body: unknown, said: Said): Promise<Answer> {
    const form = body instanceof FormData;
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: {
        ...(body === undefined || form ? {} : { 'Content-Type': 'application/json' }),
        ...(this.#address === undefined ? {} : { 'X-Forwarded-For': this.#address }),
        ...(this.#cookies.size > 0 ? { Cookie: this.cookie } : {}),
        ...(method === 'GET' ? {} : { Origin: this.baseUrl, 'Idempotency-Key': said.key ?? randomUUID() }),
        ...(method === 'GET' && this.#position !== undefined ? { 'X-Min-Position': this.#position } : {}),
        ...(said.ifMatch === undefined ? {} : { 'If-Match': `"${said.ifMatch}"` }),
        ...said.headers,
      },
      ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
    });
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
    const text = await response.text();
    const isJson = response.headers.get('Content-Type')?.includes('json') === true;
    const answer: Answer = {
      status: response.status,
      body: isJson && text !== '' ? JSON.parse(text) : text,
      headers: response.headers,
    };
    if (method !== 'GET' && response.ok) {
      this.#position = response.headers.get('X-Position') ?? this.#position;
    }
    return answer;
  }

  /** What is taken away is kept all the same: it must be good for nothing. */
  #keep(cookie: string): void {
    const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split('=');
    if (value !== '') this.#cookies.set(name, value);
  }
}

/** Signs in one of the people every stack has: admin, steward, approver or viewer. */
export async function signedIn(username: 'admin' | 'steward' | 'approver' | 'viewer'): Promise<Person> {
  const person = new Person();
  const answer = await person.signIn(username, username === 'admin' ? ADMIN_PASSWORD : SAMPLE_PASSWORD);
  if (answer.status !== 200) throw new Error(`${username} could not sign in: ${JSON.stringify(answer.body)}`);
  return person;
}

/** A name nobody else uses. */
export const unique = (name: string): string => `${name} ${randomUUID().slice(0, 8)}`;
