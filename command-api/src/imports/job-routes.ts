/** Routes that start and undo imports, and routes that cancel and retry jobs. */
import { ImportUndoPreview, StartImport } from '@rdm/contracts';
import { findDraft, idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { JobStarted } from '../runtime/answer-schemas.ts';
import type { Commands } from '../runtime/commands.ts';
import type { OpenReadExecution } from '../runtime/read-execution.ts';
import { cancel, retry, start, type startDraftCommand } from './commands.ts';
import type { ImportDependencies } from './dependencies.ts';
import { fileParam } from './drafts/routes.ts';
import { previewUndo, undoImport } from './undo/commands.ts';

const writeAccess = { level: 'WRITE' } as const;

/** Routes that start imports, and cancel or retry jobs. Each route wakes the import worker. */
export function importJobRoutes(
  { commands, pool }: Pick<ImportDependencies, 'commands' | 'pool'>,
  startDraft: ReturnType<typeof startDraftCommand>,
  wakeAfter: <T>(work: Promise<T>) => Promise<T>,
): Route[] {
  return [
    route(
      'post',
      '/api/imports/:id/start',
      writeAccess,
      {
        summary: 'Start an import of a staged file, or of a draft with its settings',
        example: {
          body: { description: 'Countries of July', mode: 'upsert' },
          from: { id: { operation: 'POST /api/imports', property: 'id' } },
        },
        answers: { 202: JobStarted.extend({ dataSetId: z.number().optional() }) },
        errors: ['EXCLUSIVE_IMPORT', 'NAME_TAKEN'],
        body: StartImport,
      },
      async (request) => {
        const fileId = fileParam(request);
        const definition = (await findDraft(pool, fileId)) ? startDraft : start;
        return wakeAfter(commands.handle(definition, request, { fileId, body: request.body }));
      },
    ),
    route(
      'post',
      '/api/jobs/:id/cancel',
      writeAccess,
      { summary: 'Cancel a job', answers: { 200: JobStarted, 202: JobStarted } },
      (request) => wakeAfter(commands.handle(cancel, request, { jobId: idParam(request) })),
    ),
    route(
      'post',
      '/api/jobs/:id/retry',
      writeAccess,
      { summary: 'Retry a failed job', answers: { 200: JobStarted, 202: JobStarted } },
      (request) => wakeAfter(commands.handle(retry, request, { jobId: idParam(request) })),
    ),
  ];
}

/** Routes that preview and start the undo of an import. The preview is in command-api, because it needs the log. */
export const undoRoutes = (commands: Commands, openExecution: OpenReadExecution): Route[] => [
  route(
    'get',
    '/api/jobs/:id/undo',
    writeAccess,
    {
      summary: 'Preview the undo of an import of rows',
      hasPast: false,
      answers: { 200: ImportUndoPreview },
      errors: ['CONFLICT'],
    },
    async (request) => ({ body: await previewUndo(openExecution(request), idParam(request)) }),
  ),
  route(
    'post',
    '/api/jobs/:id/undo',
    writeAccess,
    { summary: 'Undo an import of rows', answers: { 202: JobStarted }, errors: ['CONFLICT', 'EXCLUSIVE_IMPORT'] },
    (request) => commands.handle(undoImport, request, { jobId: idParam(request) }),
  ),
];
