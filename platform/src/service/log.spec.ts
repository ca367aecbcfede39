import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLog } from './log.ts';

/** Returns the output of a log. */
function outputOf(write: (log: ReturnType<typeof createLog>) => void): string {
  let text = '';
  const destination = {
    write(line: string) {
      text += line;
    },
  };
  write(createLog('spec', 'info', destination));
  return text;
}

describe('a log', () => {
  it('contains the failure and its place, but no values that the database quotes', () => {
    const failed = Object.assign(new Error('duplicate key value violates unique constraint "users_email"'), {
      code: '23505',
      detail: 'Key (lower(email))=(jane@example.com) already exists.',
      where: 'JSON data, line 1: {"password":"Secret-pass-1"}',
    });
    const text = outputOf((log) => log.error({ err: failed, requestId: 'r' }, 'A request failed'));
    expect(text).toContain('users_email');
    expect(text).toContain('23505');
    expect(text).toContain('log.spec.ts');
    expect(text).not.toMatch(/jane|Secret/);
  });
  it('accepts an `err` that is not an Error', () => {
    expect(outputOf((log) => log.warn({ err: undefined }, 'nothing'))).toContain('nothing');
    expect(outputOf((log) => log.warn({ err: 'in a word' }, 'x'))).toContain('"err":"in a word"');
  });
  it('omits the values of fields with secrets', () => {
    expect(outputOf((log) => log.info({ password: 'Secret-pass-1', body: { token: 'Secret-2' } }, 'x'))).not.toMatch(
      /Secret/,
    );
  });
  it('lets a service end if its output is no longer read', async () => {
    const script = `
      const { createLog } = await import(${JSON.stringify(new URL('../../dist/service/log.js', import.meta.url).href)});
      const log = createLog('spec');
      log.info('begins');
      process.stdin.resume().once('end', () => {
        for (const line of ['no', 'reader', 'left']) log.error(line);
        process.exit(7);
      });`;
    const service = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void service.kill('SIGKILL'));
    await once(service.stdout, 'data');
    service.stdout.destroy();
    await once(service.stdout, 'close');
    service.stdin.end();
    expect(await once(service, 'exit')).toEqual([7, null]);
  });
});
