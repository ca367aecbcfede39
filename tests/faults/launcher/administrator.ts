/** An administrator of a product whose processes are killed. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, vi } from 'vitest';

export const PASSWORD = 'Correct-Horse-7';
export const PATIENCE = { timeout: 60_000, interval: 100 };

/**
 * Repeats each write with the same idempotency key until it succeeds. Throws on a timeout, and on a refusal other than
 * 503 and IN_PROGRESS.
 */
export class Administrator {
  readonly acknowledged: string[] = [];
  readonly #baseUrl: string;
  #cookie = '';

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  async signIn(): Promise<void> {
    const answer = await this.#sendUntilSuccess('/api/login', { username: 'admin', password: PASSWORD });
    this.#cookie = answer.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; ');
  }

  async createType(): Promise<void> {
    const name = `Type ${randomUUID()}`;
    const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
    await this.#sendUntilSuccess('/api/reference-types', { name, description: 'Written between kills', schemas });
    this.acknowledged.push(name);
  }

  async typeNames(): Promise<string[]> {
    const answer = await fetch(`${this.#baseUrl}/api/reference-types`, { headers: { Cookie: this.#cookie } });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { name: string }[]).map(({ name }) => name);
  }

  /** Expects each acknowledged type exactly once: none is lost, and no repeated request created a second one. */
  async expectAcknowledgedTypes(): Promise<void> {
    await vi.waitFor(async () => {
      const names = (await this.typeNames()).filter((name) => name.startsWith('Type '));
      expect(names.sort()).toEqual([...this.acknowledged].sort());
    }, PATIENCE);
  }

  async #sendUntilSuccess(path: string, body: unknown): Promise<Response> {
    const headers = {
      'Content-Type': 'application/json',
      'Idempotency-Key': randomUUID(),
      Origin: this.#baseUrl,
      Cookie: this.#cookie,
    };
    for (const deadline = Date.now() + PATIENCE.timeout; ; await pause(50)) {
      const request = fetch(this.#baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
      const answer = await request.catch((error: Error) => error);
      if (!(answer instanceof Error) && answer.ok) return answer;
      const reason = answer instanceof Error ? answer.message : `${answer.status} ${await answer.text()}`;
      const isTransient = answer instanceof Error || answer.status === 503 || reason.includes('IN_PROGRESS');
      if (!isTransient || Date.now() > deadline) throw new Error(`${path}: ${reason}`);
    }
  }
}
