/** Routes of backups for administrators: the list, the schedule, the preview of a restore, and the files. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  type BackupSchedule,
  BackupScheduleView,
  BackupsView,
  type BackupView,
  DEFAULT_SCHEDULE,
  MaintenanceStatus,
  Refusal,
  RestorePreview,
} from '@rdm/contracts';
import { type ApiRequest, idParam, type Log, type Route, route, type Settings } from '@rdm/platform';
import { isDownloadToken } from '@rdm/platform/identity/download-token';
import { z } from 'zod';
import { progressOf } from '../entities/jobs.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

const FILE_TYPES = ['application/gzip', 'application/octet-stream'];
/** A maintenance process that does not report its state within this time counts as unavailable. */
const ANSWER_TIMEOUT_MS = 5_000;

type Row = Omit<BackupView, 'progress' | 'expiresAt'> & { processed: number | null; total: number | null };

const backupList = (tables: Tables): Sql => sql`
  SELECT b.id, b.id AS "jobId", b.file ->> 'fileName' AS "fileName", b.trigger, b.status, b.problem,
    (b.file ->> 'bytes')::bigint AS bytes, (b.file ->> 'events')::bigint AS events, b.file ->> 'position' AS position,
    (b.file ->> 'seq')::bigint AS seq, b.file ->> 'chainHash' AS "chainHash", b.file ->> 'sha256' AS sha256,
    (b.file ->> 'encrypted')::boolean AS encrypted, b.verified_at AS "verifiedAt", b.verified_level AS "verifiedLevel",
    EXISTS (SELECT FROM ${tables('import_jobs')} j WHERE j.backup_id = b.id AND j.status = 'PENDING') AS verifying,
    b.pinned, u.username AS "requestedBy", b.completed_at AS "completedAt", b.created_at AS "createdAt",
    b.updated_at AS "updatedAt", p.processed, p.total
  FROM ${tables('backups')} b
  LEFT JOIN jobs.progress p ON p.job_id = b.id
  LEFT JOIN identity.users u ON u.id = b.requested_by
  ORDER BY b.id DESC`;

function toView({ processed, total, ...row }: Row, expiries: MaintenanceStatus['expiries']): BackupView {
  const status = row.status === 'RUNNING' ? 'IN_PROGRESS' : row.status === 'FAILED' ? 'FAILED' : 'DONE';
  const expiresAt = expiries.find(({ id }) => id === row.id)?.at ?? null;
  return { ...row, progress: progressOf({ status, processed, total }), expiresAt };
}

type Maintenance = Pick<Settings, 'MAINTENANCE_URL' | 'SERVICE_SECRET'>;

/** Reads the state of the maintenance process; undefined if no process is configured or its answer is not valid. */
async function maintenanceStatus(settings: Maintenance, log: Log): Promise<MaintenanceStatus | undefined> {
  if (settings.MAINTENANCE_URL === undefined) return undefined;
  try {
    const response = await fetch(`${settings.MAINTENANCE_URL}/internal/status`, {
      headers: { 'X-Service-Secret': settings.SERVICE_SECRET },
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    return MaintenanceStatus.parse(await response.json());
  } catch (error) {
    log.warn({ err: error }, 'The maintenance process does not report its state');
    return undefined;
  }
}

const HEADERS = ['content-length', 'content-range', 'accept-ranges', 'content-type', 'content-disposition'];

/** Forwards the file, or the requested range of the file, from the maintenance process. */
async function sendFile(
  { raw, response }: ApiRequest<never>,
  settings: Maintenance,
  fileName: string,
): Promise<'sent'> {
  const { MAINTENANCE_URL: url, SERVICE_SECRET: secret } = settings;
  const unavailable = () =>
    new Refusal('UNAVAILABLE', 'The maintenance process does not answer. Please try again.', undefined, 5);
  if (url === undefined) throw unavailable();
  const ended = new AbortController();
  response.once('close', () => ended.abort());
  const range = raw.get('Range');
  const file = await fetch(`${url}/internal/files/${encodeURIComponent(fileName)}`, {
    headers: { 'X-Service-Secret': secret, ...(range !== undefined && { Range: range }) },
    signal: ended.signal,
  }).catch(() => Promise.reject(unavailable()));
  if (file.status === 404) throw new Refusal('GONE', 'The file of this backup is no longer in its folder');
  response.status(file.status);
  for (const name of HEADERS) {
    const value = file.headers.get(name);
    if (value !== null) response.setHeader(name, value);
  }
  response.setHeader('Cache-Control', 'no-store');
  if (file.body === null) response.end();
  // Either end can close its connection. The status was sent, so the client recognises a broken download by its length.
  else await pipeline(Readable.fromWeb(file.body as never), response).catch(() => undefined);
  return 'sent';
}

export const backupRoutes = ({ readModels, settings, log }: QueryContext): Route[] => [
  route(
    'get',
    '/api/backups',
    { administrator: true },
    { summary: 'List the backups', hasPast: false, answers: { 200: BackupsView } },
    async (request) => {
      const [found, status] = await Promise.all([
        readModels.read<Row>(request, backupList),
        maintenanceStatus(settings, log),
      ]);
      const {
        folder = null,
        freeBytes = null,
        onDiskOfData = null,
        expiries = [],
        overdue = false,
        restoring = null,
        lastRestore = null,
      } = status ?? {};
      const items = found.rows.map((row) => toView(row, expiries));
      return answer(found, {
        ...{ items, total: items.length, folder, freeBytes, onDiskOfData, overdue },
        ...{ restoring, lastRestore },
      });
    },
  ),

  route(
    'get',
    '/api/backups/schedule',
    { administrator: true },
    { summary: 'Read when backups are made', hasPast: false, answers: { 200: BackupScheduleView } },
    async (request) => {
      const [found, status] = await Promise.all([
        readModels.read<{ schedule: BackupSchedule }>(
          request,
          (tables) => sql`SELECT schedule FROM ${tables('backup_schedules')}`,
        ),
        maintenanceStatus(settings, log),
      ]);
      const stored = found.rows[0]?.schedule;
      return answer(found, {
        ...(stored ?? DEFAULT_SCHEDULE),
        isSet: stored !== undefined,
        nextAt: status?.nextAt ?? null,
      });
    },
  ),

  route(
    'get',
    '/api/backups/:id/restore-preview',
    { administrator: true },
    {
      summary: 'Preview what a restore loses and what stays',
      hasPast: false,
      answers: { 200: RestorePreview },
      errors: ['CONFLICT'],
    },
    async (request) => {
      const id = idParam(request);
      const [found, status] = await Promise.all([
        readModels.read<Omit<RestorePreview, 'restorable'> & { hasFile: boolean }>(
          request,
          (tables) => sql`SELECT b.file IS NOT NULL AS "hasFile", b.created_at AS "madeAt",
              greatest(0, r.seq - (b.file ->> 'seq')::bigint) AS "lostEvents",
              (SELECT count(DISTINCT h.user_id) FROM identity.password_history h WHERE h.created_at > b.created_at) AS "passwordsChanged",
              (SELECT count(*) FROM identity.api_keys k WHERE k.revoked_at > b.created_at)
                + (SELECT count(*) FROM identity.users u WHERE u.erased_at > b.created_at) AS "keptRevocations",
              (SELECT count(*) FROM ${tables('purges')} p WHERE p.is_sealed AND p.events > 0 AND p.confirmed_at > b.created_at) AS "purgesSince"
            FROM ${tables('backups')} b, platform.reader r WHERE b.id = ${id}`,
        ),
        maintenanceStatus(settings, log),
      ]);
      const { hasFile, ...preview } = found.one();
      if (!hasFile) throw new Refusal('CONFLICT', 'This backup has no file: it is still running, or it failed');
      return answer(found, { ...preview, restorable: status?.restorable === true });
    },
  ),

  route(
    'get',
    '/api/backups/:id',
    { administrator: true },
    {
      summary: 'Download the file of a backup',
      answers: { 200: FILE_TYPES, 206: FILE_TYPES },
      errors: ['CONFLICT', 'GONE'],
      query: z.object({
        token: z.string().optional().describe('The token from the answer to `POST /api/backups/{id}/download`.'),
      }),
    },
    async (request) => {
      const id = idParam(request);
      const found = await readModels.read<{ fileName: string | null; encrypted: boolean | null }>(
        request,
        (tables) => sql`SELECT b.file ->> 'fileName' AS "fileName", (b.file ->> 'encrypted')::boolean AS encrypted
          FROM ${tables('backups')} b WHERE b.id = ${id}`,
      );
      const { fileName, encrypted } = found.one();
      if (fileName === null)
        throw new Refusal('CONFLICT', 'This backup has no file: it is still running, or it failed');
      const { token } = request.query;
      const { sessionId } = request.principal;
      const download = { subject: `backup ${id}`, sessionId };
      if (!encrypted && !(token && isDownloadToken(settings.SESSION_SECRET, download, token, Date.now()))) {
        throw new Refusal(
          'CONFLICT',
          'This backup is not encrypted: prove your identity to get a download address that is valid for five minutes',
        );
      }
      return sendFile(request as never, settings, fileName);
    },
  ),
];
