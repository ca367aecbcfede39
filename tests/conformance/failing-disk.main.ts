/**
 * An event store whose disk fails on demand. Files in its directory decide: `fail` makes syncs fail; `full` makes
 * writes fail and the free space 0. If `full-soon` exists, `full` is created as soon as a scavenge has replaced a
 * segment.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { realDisk } from '@rdm/embedded/event-store/storage/disk';
import { startEventStore } from '@rdm/embedded/event-store/wire/server';

const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    dir: { type: 'string', default: '' },
    'segment-size': { type: 'string' },
    'scavenge-rest': { type: 'string' },
  },
});
const store = await startEventStore({
  directory: values.dir,
  port: Number(values.port ?? 0),
  ...(values['segment-size'] !== undefined && { segmentSize: Number(values['segment-size']) }),
  ...(values['scavenge-rest'] !== undefined && { scavengePauseFactor: Number(values['scavenge-rest']) }),
  disk: {
    ...realDisk,
    async write(file, bytes, offset) {
      if (existsSync(join(values.dir, 'full')))
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      await realDisk.write(file, bytes, offset);
    },
    async rename(from, to) {
      await realDisk.rename(from, to);
      if (to.endsWith('.log') && existsSync(join(values.dir, 'full-soon'))) writeFileSync(join(values.dir, 'full'), '');
    },
    free: async () => (existsSync(join(values.dir, 'full')) ? 0 : Number.POSITIVE_INFINITY),
    async sync(file) {
      if (existsSync(join(values.dir, 'fail')))
        throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
      await realDisk.sync(file);
    },
  },
  onFailure: (error) => {
    console.error(error.message);
    process.exit(1);
  },
});
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
process.send?.({ type: 'ready', port: store.port });
