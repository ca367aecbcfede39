/**
 * An HTTP client with a session. Its reads include all earlier writes that this test process sent to the same
 * server. `eventually` waits for changes that other processes make.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { inject } from 'vitest';
import { requireDocumented } from '../api-document/answer-check.ts';
import { ADMIN_PASSWORD, SAMPLE_PASSWORD } from './stack.ts';

/** The body of a response. */
// biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape.
export type Json = any;

export interface Answer {
  status: number;
  body: Json;
  headers: Headers;
}

export interface RequestOptions {
  key?: string;
  ifMatch?: number;
  headers?: Record<string, string>;
}

/**
 * The position of the last write, by server. Every request of the process sends it, so that reads include the write.
 */
const lastWrites = new Map<string, bigint>();

/** Whether the response does not include the last write. If so, the client repeats the request. */
const isBehind = ({ headers, body }: Answer) => headers.get('X-Behind') === 'true' || body?.code === 'BEHIND';

/** Whether a transfer is refused because other tests run too many transfers of the same user. */
export const isTransferRefused = (status: number, error: unknown): boolean =>
  status === 429 &&
  /^\d+ (downloads are under|of your files are being)|^You (have \d+ downloads|are uploading)/.test(String(error));
export const TRANSFER_PAUSE_MS = 50;

export class HttpClient {
  readonly baseUrl: string;
  /**
   * The address that the client sends in X-Forwarded-For. If undefined, the server uses the address of this machine.
   */
  readonly #address: string | undefined;
  readonly #cookies = new Map<string, string>();

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

  get(path: string, options: RequestOptions = {}): Promise<Answer> {
    return this.#send('GET', path, undefined, options);
  }
  /**
   * Downloads a file. Repeats the request while it is refused because of other transfers, or while the response does
   * not include the last write.
   */
  async download(path: string): Promise<Response> {
    const headers = { Cookie: this.cookie, ...this.#afterLastWrite() };
    for (;;) {
      const response = await fetch(`${this.baseUrl}${path}`, { headers });
      const refused = response.ok
        ? {}
        : await response
            .clone()
            .json()
            .catch(() => ({}));
      if (isTransferRefused(response.status, refused.error)) await pause(TRANSFER_PAUSE_MS);
      else if (refused.code !== 'BEHIND' && response.headers.get('X-Behind') !== 'true') return response;
    }
  }
  post(path: string, body: unknown = {}, options: RequestOptions = {}): Promise<Answer> {
    return this.#send('POST', path, body, options);
  }
  put(path: string, body: unknown, options: RequestOptions = {}): Promise<Answer> {
    return this.#send('PUT', path, body, options);
  }
  patch(path: string, body: unknown, options: RequestOptions = {}): Promise<Answer> {
    return this.#send('PATCH', path, body, options);
  }
  delete(path: string, body?: unknown, options: RequestOptions = {}): Promise<Answer> {
    return this.#send('DELETE', path, body, options);
  }

  /** Reads until the response matches, because changes by other processes reach the read models later. */
  async eventually(path: string, matches: (answer: Answer) => boolean, timeoutMs = 60_000): Promise<Answer> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const answer = await this.get(path);
      if (matches(answer)) return answer;
      if (Date.now() > deadline) {
        throw new Error(
          `${path} did not match in ${timeoutMs} ms; the last answer: ${answer.status} ${JSON.stringify(answer.body)}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  #afterLastWrite(): Record<string, string> {
    const position = lastWrites.get(this.baseUrl);
    return position === undefined ? {} : { 'X-Min-Position': String(position) };
  }

  async #send(method: string, path: string, body: unknown, options: RequestOptions): Promise<Answer> {
    const headers = {
      ...(method === 'GET' ? {} : { 'Idempotency-Key': options.key ?? randomUUID() }),
      ...this.#afterLastWrite(),
      ...options.headers,
    };
    for (;;) {
      const answer = await this.#sendOnce(method, path, body, { ...options, headers });
      if (isTransferRefused(answer.status, answer.body?.error)) await pause(TRANSFER_PAUSE_MS);
      else if (!isBehind(answer)) return answer;
    }
  }

  async #sendOnce(method: string, path: string, body: unknown, options: RequestOptions): Promise<Answer> {
    const isForm = body instanceof FormData;
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: {
        ...(body === undefined || isForm ? {} : { 'Content-Type': 'application/json' }),
        ...(this.#address === undefined ? {} : { 'X-Forwarded-For': this.#address }),
        ...(this.#cookies.size > 0 ? { Cookie: this.cookie } : {}),
        ...(method === 'GET' ? {} : { Origin: this.baseUrl }),
        ...(options.ifMatch === undefined ? {} : { 'If-Match': `"${options.ifMatch}"` }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    for (const cookie of response.headers.getSetCookie()) this.#storeCookie(cookie);
    const text = await response.text();
    const contentType = response.headers.get('Content-Type');
    const isJson = contentType?.includes('json') === true;
    const answer: Answer = {
      status: response.status,
      body: isJson && text !== '' ? JSON.parse(text) : text,
      headers: response.headers,
    };
    requireDocumented(method, path, { ...answer, contentType });
    const position = BigInt(response.headers.get('X-Position') ?? 0);
    if (method !== 'GET' && response.ok && position > (lastWrites.get(this.baseUrl) ?? 0n))
      lastWrites.set(this.baseUrl, position);
    return answer;
  }

  /** Stores a cookie. Ignores removals, so that tests can send a removed cookie. */
  #storeCookie(cookie: string): void {
    const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split('=');
    if (value !== '') this.#cookies.set(name, value);
  }
}

/** Signs in a user of the sample data. */
export async function signInAs(username: 'admin' | 'steward' | 'approver' | 'viewer'): Promise<HttpClient> {
  const person = new HttpClient();
  const answer = await person.signIn(username, username === 'admin' ? ADMIN_PASSWORD : SAMPLE_PASSWORD);
  if (answer.status !== 200) throw new Error(`${username} could not sign in: ${JSON.stringify(answer.body)}`);
  return person;
}

export const uniqueName = (name: string): string => `${name} ${randomUUID().slice(0, 8)}`;
