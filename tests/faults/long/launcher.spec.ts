/** The launcher refuses a log that lost events, and starts after the operator has accepted the end of this log. */
import { once } from 'node:events';
import { cpSync, readdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { administrator, dataDir, launch, useLauncher } from '../launcher/launches.ts';

describe('the launcher', { timeout: 120_000 }, () => {
  useLauncher();

  it('refuses a log that lost events until the operator accepts its end, and then refuses an older copy of the log', async () => {
    const first = await launch();
    await administrator.signIn();
    // The last event of the log defines a type.
    await administrator.createType();
    first.kill('SIGINT');
    await once(first, 'exit');

    const log = join(dataDir, 'event-store');
    const copiedLog = join(dataDir, 'older-event-store');
    cpSync(log, copiedLog, { recursive: true });
    const lastSegment = join(log, readdirSync(log).findLast((name) => name.endsWith('.log')) ?? '');
    truncateSync(lastSegment, statSync(lastSegment).size - 1);

    const refusal = String(await launch().catch((error: Error) => error));
    expect(refusal).toMatch(/event-store could not be started: .* events up to position \d+ were acknowledged/);
    expect(refusal).not.toContain('starting it again');
    const [, end] = /ACCEPT_LOG_END=(\d+)/.exec(refusal) ?? [];
    const second = await launch({ ACCEPT_LOG_END: end });
    await administrator.signIn();
    administrator.acknowledged.pop();
    for (let count = 0; count < 3; count++) await administrator.createType();
    await administrator.expectAcknowledgedTypes();
    second.kill('SIGINT');
    await once(second, 'exit');

    rmSync(log, { recursive: true });
    renameSync(copiedLog, log);
    expect(String(await launch().catch((error: Error) => error))).toMatch(
      /projector could not be started: The event log ends .* the read models hold events up to position \d+/,
    );
  });
});
