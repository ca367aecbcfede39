/** Routes of backups, for administrators, the maintenance process and the backup script. */
import {
  BackupDownload,
  BackupSchedule,
  backupEvents,
  DownloadBackup,
  type IdentityProof,
  PASSPHRASE_HEADER,
  PinBackup,
  RequestBackup,
  RequestVerification,
  RestoreBackup,
} from '@rdm/contracts';
import { type ApiRequest, idParam, type Route, route } from '@rdm/platform';
import { downloadToken } from '@rdm/platform/identity/download-token';
import { z } from 'zod';
import { ChangeAnswer, JobStarted, withPosition } from '../../runtime/answer-schemas.ts';
import type { Commands } from '../../runtime/commands.ts';
import { backupCommands } from './commands.ts';
import { type Maintenance, UPLOAD_ERRORS } from './maintenance.ts';

export interface BackupDependencies {
  commands: Commands;
  sessionSecret: string;
  /** Throws unless `proof` proves the identity of the user of the request. */
  requireIdentity: (request: ApiRequest, proof: IdentityProof) => Promise<void>;
  maintenance: Maintenance;
}

const Outcome = z.discriminatedUnion('type', [
  z.object({ type: z.literal('BackupCompleted'), data: backupEvents.BackupCompleted.schema }),
  z.object({ type: z.literal('BackupFailed'), data: backupEvents.BackupFailed.schema }),
  z.object({ type: z.literal('BackupVerified'), data: backupEvents.BackupVerified.schema }),
]);

/** Attributes the command of an internal request to the system, without a user. */
const asSystem = ({ requestId, correlationId }: ApiRequest) => ({
  actorId: null,
  requestId,
  correlationId,
  sourceType: 'SYSTEM' as const,
});

export function backupRoutes(context: BackupDependencies): Route[] {
  const definitions = backupCommands(context.sessionSecret);
  context.commands.register(Object.values(definitions));
  return [...administratorRoutes(context, definitions), ...maintenanceRoutes(context.commands, definitions)];
}

type Definitions = ReturnType<typeof backupCommands>;

function administratorRoutes(context: BackupDependencies, definitions: Definitions): Route[] {
  const { commands, sessionSecret, requireIdentity, maintenance } = context;
  const administrator = { administrator: true } as const;
  return [
    route(
      'post',
      '/api/backups',
      administrator,
      {
        summary: 'Back up the installation as a job',
        example: { body: {} },
        answers: { 202: JobStarted.extend({ id: z.number() }) },
        errors: ['BACKUP_RUNNING'],
        body: RequestBackup,
      },
      (request) => commands.handle(definitions.request, request, request.body),
    ),
    route(
      'post',
      '/api/backups/upload',
      administrator,
      {
        summary: `Add the file of a backup that this installation made; \`${PASSPHRASE_HEADER}\` has the passphrase, percent-encoded`,
        example: { body: 'the bytes of the file' },
        consumes: { 'application/octet-stream': z.string().meta({ contentMediaType: 'application/octet-stream' }) },
        limit: 'stream',
        answers: { 201: withPosition(z.object({ id: z.number(), fileName: z.string() })) },
        errors: [...UPLOAD_ERRORS],
      },
      async (request) => {
        const file = await maintenance.receiveUpload(request.raw);
        return commands.handle(definitions.recordUpload, request, { file });
      },
    ),
    route(
      'put',
      '/api/backups/schedule',
      administrator,
      {
        summary: 'Change when backups are made, and which are kept',
        example: {
          body: { enabled: true, every: 'DAY', at: '02:00', zone: 'UTC', keep: { daily: 7, weekly: 4, monthly: 12 } },
        },
        answers: { 200: withPosition(BackupSchedule) },
        body: BackupSchedule,
      },
      (request) => commands.handle(definitions.changeSchedule, request, { schedule: request.body }),
    ),
    route(
      'post',
      '/api/backups/:id/verify',
      administrator,
      {
        summary: 'Verify a backup as a job',
        example: { body: { level: 'checksums' } },
        answers: { 202: JobStarted.extend({ id: z.number() }) },
        errors: ['BACKUP_RUNNING', 'CONFLICT'],
        body: RequestVerification,
      },
      (request) => commands.handle(definitions.requestVerification, request, { id: idParam(request), ...request.body }),
    ),
    route(
      'patch',
      '/api/backups/:id',
      administrator,
      {
        summary: 'Keep a backup, or leave it to the retention',
        example: { body: { pinned: true } },
        answers: { 200: ChangeAnswer },
        errors: ['CONFLICT'],
        body: PinBackup,
      },
      (request) => commands.handle(definitions.pin, request, { id: idParam(request), body: request.body }),
    ),
    route(
      'delete',
      '/api/backups/:id',
      administrator,
      { summary: 'Delete a backup and its file', answers: { 204: null }, errors: ['BACKUP_RUNNING'] },
      async (request) => {
        const { position } = await commands.handle(definitions.remove, request, {
          id: idParam(request),
          byRetention: false,
        });
        return { status: 204, position };
      },
    ),
    route(
      'post',
      '/api/backups/:id/download',
      administrator,
      {
        summary: 'Request the address of the file of a backup',
        example: { body: { password: 'Your-password-1' } },
        answers: { 200: BackupDownload },
        errors: ['WRONG_PASSWORD', 'LOCKED_OUT', 'SIGN_IN_AGAIN', 'CONFLICT'],
        body: DownloadBackup,
      },
      async (request) => {
        const id = idParam(request);
        const { sessionId } = request.principal;
        await requireIdentity(request, request.body);
        await commands.handle(definitions.recordDownload, request, { id });
        const token = downloadToken(sessionSecret, { subject: `backup ${id}`, sessionId }, Date.now());
        return { body: { url: `/api/backups/${id}?token=${token}` } };
      },
    ),

    route(
      'post',
      '/api/backups/:id/restore',
      administrator,
      {
        summary: 'Replace all data with a backup; the product restarts',
        example: { body: { name: 'rdm-20261126T020000Z-12.tar.gz', password: 'Your-password-1' } },
        answers: { 202: withPosition(z.object({ id: z.number(), fileName: z.string() })) },
        errors: [
          'WRONG_PASSWORD',
          'LOCKED_OUT',
          'WRONG_PHRASE',
          'SIGN_IN_AGAIN',
          'CONFLICT',
          'BACKUP_RUNNING',
          'RESTORE_NOT_HERE',
        ],
        body: RestoreBackup,
      },
      async (request) => {
        const { name } = request.body;
        await requireIdentity(request, request.body);
        const answer = await commands.handle(definitions.requestRestore, request, { id: idParam(request), name });
        await maintenance.requestRestore(request.body);
        return answer;
      },
    ),
  ];
}

/**
 * Routes for the maintenance process and the backup script. The maintenance process sends one idempotency key per
 * outcome, so a repeated report changes nothing.
 */
function maintenanceRoutes(commands: Commands, definitions: Definitions): Route[] {
  const service = { service: true } as const;
  return [
    route(
      'post',
      '/internal/backups/outcomes',
      service,
      { summary: 'Record the outcome of a backup or a verification', answers: { 204: null }, body: Outcome },
      async (request) => {
        const outcome = request.body;
        const { position } = await commands.runAs(
          definitions.recordOutcome,
          request.idempotencyKey,
          { outcome },
          asSystem(request),
        );
        return { status: 204, position };
      },
    ),
    route(
      'post',
      '/internal/backups',
      service,
      {
        summary: 'Start a backup that the schedule or a script requests',
        answers: { 202: z.unknown() },
        errors: ['BACKUP_RUNNING'],
        body: RequestBackup.extend({ trigger: z.enum(['SCHEDULE', 'MANUAL']) }),
      },
      (request) => commands.runAs(definitions.requestAsSystem, request.idempotencyKey, request.body, asSystem(request)),
    ),
    route(
      'post',
      '/internal/backups/:id/verify',
      service,
      {
        summary: 'Start a verification that the maintenance process requests',
        answers: { 202: z.unknown() },
        errors: ['BACKUP_RUNNING', 'CONFLICT'],
        body: RequestVerification,
      },
      (request) =>
        commands.runAs(
          definitions.requestVerification,
          request.idempotencyKey,
          { id: idParam(request), ...request.body },
          asSystem(request),
        ),
    ),
    route(
      'post',
      '/internal/backups/overdue',
      service,
      {
        summary: 'Record that no backup has succeeded for two intervals of the schedule',
        answers: { 204: null },
        body: backupEvents.BackupOverdue.schema,
      },
      async (request) => {
        await commands.runAs(definitions.recordOverdue, request.idempotencyKey, request.body, asSystem(request));
        return { status: 204 };
      },
    ),
    route(
      'post',
      '/internal/backups/expire',
      service,
      {
        summary: 'Delete a backup that the retention does not keep',
        answers: { 204: null },
        body: z.object({ backupId: z.number() }),
      },
      async (request) => {
        const input = { id: request.body.backupId, byRetention: true };
        await commands.runAs(definitions.remove, request.idempotencyKey, input, asSystem(request));
        return { status: 204 };
      },
    ),
  ];
}
