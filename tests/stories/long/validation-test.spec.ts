/** Validates a file of almost the maximum size while the service answers other requests. */
import { describe, expect, it } from 'vitest';
import { dataSetId, prepareValidation, steward, validate } from '../validation-requests.ts';

prepareValidation();

describe('a validation test', () => {
  it('validates almost 10 MiB of rows while other requests are answered', async () => {
    const row = (index: number) => `${String(index).padStart(12, '0')},x,1,2024-01-01\n`;
    const rows = Array.from({ length: 370_000 }, (_, index) => row(index)).join('');
    const content = `code,name,size,since\n${rows}`;
    expect(content.length).toBeGreaterThan(9.7 * 1024 * 1024);
    const validation = validate(steward, `dataSetId=${dataSetId}`, content);
    let isDone = false;
    void validation.then(() => {
      isDone = true;
    });
    let slowest = 0;
    while (!isDone) {
      const startedAt = performance.now();
      expect((await steward.post('/api/session/heartbeat')).status).toBe(204);
      slowest = Math.max(slowest, performance.now() - startedAt);
    }
    expect(await validation).toMatchObject({ status: 200, body: { rows: 370_000, validRows: 370_000, rules: [] } });
    console.log(`Slowest answer during a validation of 10 MiB: ${Math.round(slowest)} ms`);
  });
});
