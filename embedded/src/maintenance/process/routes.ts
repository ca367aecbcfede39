/**
 * Internal routes of the maintenance process: its state, backups, scavenges, restores and uploads, and the files of
 * backups for query-api, which authorises downloads.
 */
import { createReadStream, existsSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  type Backup,
  MaintenanceStatus,
  PASSPHRASE_HEADER,
  Refusal,
  type RunningRestore,
  UploadedFile,
} from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { type RestoreRequest, readRestoreOutcome } from '../../launcher/restore.ts';
import { ScavengeStatus, type ScavengeWork } from './scavenge-work.ts';
import { receiveBackup, type UploadDependencies } from './upload.ts';

export interface MaintenanceRoutesDependencies extends ScavengeWork {
  folder: string;
  /** The data folder; undefined if the data are on other machines. */
  dataDir: string | undefined;
  /** When the next scheduled backup starts. */
  nextAt: () => Date | null;
  expiryTimes: () => Promise<Map<number, Date>>;
  isOverdue: () => boolean;
  /** Requests a restore from the launcher; undefined if the launcher cannot restore. */
  requestRestore: ((request: RestoreRequest) => void) | undefined;
  /** The restore that is being prepared. */
  restoring: () => RunningRestore | null;
  backup: (id: number) => Promise<Backup | undefined>;
  nameOf: UploadDependencies['nameOf'];
  trustedKeys: UploadDependencies['trustedKeys'];
}

const service = { service: true } as const;

const RequestRestore = z.object({
  fileName: z.string(),
  passphrase: z.string().optional(),
  keepPasswords: z.boolean(),
});

export const maintenanceRoutes = ({
  folder,
  dataDir,
  nextAt,
  expiryTimes,
  isOverdue,
  requestRestore,
  restoring,
  backup,
  nameOf,
  trustedKeys,
  startScavenge,
  scavengeStatus,
  stopScavenge,
}: MaintenanceRoutesDependencies): Route[] => [
  route(
    'get',
    '/internal/status',
    service,
    { summary: 'Read the state of the maintenance process', answers: { 200: MaintenanceStatus } },
    async () => {
      const space = await statfs(folder).catch(() => undefined);
      return {
        body: {
          folder,
          freeBytes: space ? space.bavail * space.bsize : null,
          onDiskOfData: dataDir === undefined ? null : await isSameDisk(folder, dataDir),
          nextAt: nextAt()?.toISOString() ?? null,
          expiries: [...(await expiryTimes())].map(([id, at]) => ({ id, at: at.toISOString() })),
          overdue: isOverdue(),
          restorable: requestRestore !== undefined,
          restoring: restoring(),
          lastRestore: dataDir === undefined ? null : readRestoreOutcome(dataDir),
        },
      };
    },
  ),

  // Scripts use this route, because they have no session.
  route(
    'get',
    '/internal/backups/:id',
    service,
    { summary: 'Read a backup', answers: { 200: z.unknown() } },
    async (request) => {
      const body = await backup(idParam(request));
      if (!body) throw new Refusal('NOT_FOUND', 'This backup does not exist');
      return { body };
    },
  ),

  route(
    'post',
    '/internal/scavenge',
    service,
    { summary: 'Scavenge the event store', answers: { 202: ScavengeStatus } },
    async () => ({ status: 202, body: startScavenge() }),
  ),
  route(
    'get',
    '/internal/scavenge',
    service,
    { summary: 'Read the state of the last scavenge', answers: { 200: ScavengeStatus } },
    async () => ({ body: scavengeStatus() }),
  ),
  route(
    'delete',
    '/internal/scavenge',
    service,
    { summary: 'Stop the running scavenge', answers: { 200: ScavengeStatus } },
    async () => ({ body: await stopScavenge() }),
  ),

  route(
    'post',
    '/internal/restores',
    service,
    { summary: 'Replace the data by a backup', answers: { 204: null }, errors: ['CONFLICT'], body: RequestRestore },
    async ({ body: { fileName, passphrase, keepPasswords } }) => {
      if (requestRestore === undefined) {
        throw new Refusal(
          'RESTORE_NOT_HERE',
          'These data cannot be restored from the page: use npm run restore, as docs/operations.md describes',
        );
      }
      const running = restoring();
      if (running) {
        throw new Refusal('CONFLICT', `A restore of ${running.fileName} is being prepared: wait until it has ended`);
      }
      const path = join(folder, requireFileName(fileName));
      if (!existsSync(path)) throw notFound(fileName);
      requestRestore({ fileName, path, passphrase, keepPasswords });
      return { status: 204 };
    },
  ),

  route(
    'post',
    '/internal/uploads',
    service,
    {
      summary: 'Store the file of a backup',
      answers: { 201: UploadedFile },
      errors: ['CONFLICT', 'BACKUP_DAMAGED', 'WRONG_PASSPHRASE', 'NEWER_FORMAT', 'DISK_SPACE'],
      limit: 'stream',
    },
    async ({ raw }) => {
      const passphrase = raw.get(PASSPHRASE_HEADER);
      const body = await receiveBackup(
        { folder, trustedKeys, nameOf },
        raw,
        passphrase === undefined ? undefined : decodeURIComponent(passphrase),
      );
      return { status: 201, body };
    },
  ),

  route(
    'get',
    '/internal/files/:name',
    service,
    { summary: 'Read the file of a backup', answers: { 200: ['application/octet-stream'] } },
    async ({ params, raw, response }) => {
      const name = requireFileName(params['name'] ?? '');
      const path = join(folder, name);
      const file = await stat(path).catch(() => undefined);
      if (!file?.isFile()) throw notFound(name);
      response.setHeader('Content-Type', name.endsWith('.age') ? 'application/octet-stream' : 'application/gzip');
      response.setHeader('Content-Disposition', `attachment; filename="${name}"`);
      response.setHeader('Accept-Ranges', 'bytes');
      const range = rangeOf(raw.get('Range'), file.size);
      if (range === 'unsatisfiable') {
        response.status(416).setHeader('Content-Range', `bytes */${file.size}`).end();
        return 'sent';
      }
      const { start, end } = range ?? { start: 0, end: file.size - 1 };
      response.setHeader('Content-Length', end - start + 1);
      if (range) response.status(206).setHeader('Content-Range', `bytes ${start}-${end}/${file.size}`);
      await pipeline(createReadStream(path, { start, end }), response).catch(() => undefined); // the client closed the connection
      return 'sent';
    },
  ),
];

function requireFileName(name: string): string {
  if (basename(name) === name && /^rdm-[\w-]+\.tar\.gz(\.age)?$/.test(name)) return name;
  throw notFound(name);
}

const notFound = (name: string) => new Refusal('NOT_FOUND', `There is no backup ${name}`);

async function isSameDisk(one: string, other: string): Promise<boolean | null> {
  try {
    return (await stat(one)).dev === (await stat(other)).dev;
  } catch {
    return null; // a folder that does not exist yet
  }
}

/**
 * Parses the header `Range`. Returns undefined if it is missing or is not a single range of bytes, and `unsatisfiable`
 * if the range contains no byte of the file.
 */
export function rangeOf(
  header: string | undefined,
  size: number,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return start > end ? 'unsatisfiable' : { start, end };
}
