/** Tests the record of running processes on a full disk. */
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { endOrphanedProcesses } from './leftovers.ts';

// Every write to this device fails with ENOSPC; only Linux has it.
it.runIf(existsSync('/dev/full'))('the record of processes keeps its last state when the disk is full', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rdm-leftovers-'));
  try {
    const path = join(folder, 'processes.json');
    const record = await endOrphanedProcesses(path, () => undefined);
    record.add('part', process.pid);
    const written = readFileSync(path, 'utf8');
    symlinkSync('/dev/full', `${path}.new`);
    record.remove(process.pid);
    expect(readFileSync(path, 'utf8')).toBe(written);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
