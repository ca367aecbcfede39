/** Routes of crosswalks, mappings, suggestions and missing mappings. */

import {
  ChangeCrosswalk,
  CrosswalkCopied,
  DefineCrosswalk,
  DismissSuggestions,
  DraftMappings,
  DuplicateCrosswalk,
  EditMappings,
  IgnoreMissingMappings,
  ImportMappings,
  MapMissingMapping,
  MappingImportPreview,
  Reason,
  Refusal,
  ReopenMissingMappings,
  RequestMissingMapping,
  RestoreSuggestions,
  ReverseCrosswalk,
  type SelectedMissingMappings,
} from '@rdm/contracts';
import { type ApiAnswer, idParam, type Pool, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import type { FileProcess } from '../file-imports/file-process.ts';
import {
  bulkDefinitionReviewRoutes,
  definitionReviewRoutes,
  ROWS_BYTES,
  rowReviewRoutes,
} from '../review/review-routes.ts';
import {
  BULK_ANSWERS,
  BulkAnswer,
  ChangeAnswer,
  CREATE_ROWS_ANSWERS,
  DefinitionAnswer,
  JobAnswer,
  withPosition,
} from '../runtime/answer-schemas.ts';
import { commandRoutes } from '../runtime/command-routes.ts';
import type { Commands } from '../runtime/commands.ts';
import { change, crosswalkReview, define } from './commands.ts';
import { duplicate, reverse } from './copy.ts';
import type { DefinitionVerb } from './decider.ts';
import { findCrosswalksOfMissing, findMissingMapping, type MissingMappingKey } from './find-missing.ts';
import { importFile } from './import-commands.ts';
import { draft, edit, mappingReview } from './mapping-commands.ts';
import { decideMany, ignore, recordUnknownValues, reopen, requestMapping } from './missing-mapping-commands.ts';
import { UnknownValues } from './missing-mapping-counters.ts';
import { NO_MISSING_MAPPING } from './missing-mappings.ts';
import { dismiss, restore } from './suggestion-commands.ts';

const DEFINITION_VERBS: readonly Exclude<DefinitionVerb, 'delete'>[] = [
  'submit',
  'recall',
  'approve',
  'reject',
  'revoke',
  'discard',
  'restore',
];

const writeAccess = { level: 'WRITE' } as const;
const crosswalkPath = '/api/crosswalks/:id';

/** The example of the routes that preview or import a staged file. */
const STAGED_FILE = {
  body: { fileId: '00000000-0000-4000-8000-000000000000' },
  from: { fileId: { operation: 'POST /api/imports', example: 'mappings of a crosswalk', property: 'id' } },
};

export function crosswalkRoutes(commands: Commands, pool: Pool, preview: FileProcess['preview']): Route[] {
  commands.register([
    define,
    duplicate,
    reverse,
    change,
    crosswalkReview.reviewOne,
    crosswalkReview.reviewMany,
    draft,
    edit,
    mappingReview.review,
    importFile,
    dismiss,
    restore,
    requestMapping,
    ignore,
    reopen,
    decideMany,
    recordUnknownValues,
  ]);
  const routes = commandRoutes(commands);
  return [
    routes.create('/api/crosswalks', writeAccess, DefineCrosswalk, define, {
      summary: 'Create a crosswalk',
      example: {
        body: {
          name: 'Countries to ISO',
          sourceSystemId: 1,
          targetSystemId: 2,
          sourceAttribute: 'code',
          targetAttribute: 'code',
        },
      },
      answers: { 201: DefinitionAnswer },
      errors: ['NAME_TAKEN'],
    }),
    routes.change('patch', crosswalkPath, { level: 'ADMIN' }, ChangeCrosswalk, change, {
      summary: 'Change a crosswalk',
      example: { body: { description: 'For invoicing' } },
      answers: { 200: DefinitionAnswer },
      errors: ['NAME_TAKEN'],
    }),
    routes.changeAnyRevision('post', `${crosswalkPath}/duplicate`, writeAccess, DuplicateCrosswalk, duplicate, {
      summary: 'Copy a crosswalk',
      example: { body: { name: 'Countries, a copy', preview: true } },
      answers: { 200: withPosition(CrosswalkCopied), 201: withPosition(CrosswalkCopied) },
      errors: ['NAME_TAKEN'],
    }),
    routes.changeAnyRevision('post', `${crosswalkPath}/reverse`, writeAccess, ReverseCrosswalk, reverse, {
      summary: 'Create the reverse of a crosswalk',
      example: { body: { name: 'Countries, reversed', preview: true } },
      answers: { 200: withPosition(CrosswalkCopied), 201: withPosition(CrosswalkCopied) },
      errors: ['NAME_TAKEN'],
    }),
    ...definitionReviewRoutes(commands, crosswalkPath, crosswalkReview.reviewOne, DEFINITION_VERBS),
    ...bulkDefinitionReviewRoutes(commands, '/api/crosswalks', crosswalkReview.reviewMany, DEFINITION_VERBS),
    ...mappingRoutes(commands, preview),
    ...missingMappingRoutes(commands, pool),
  ];
}

/** Routes of mappings, their import, and suggestions. */
function mappingRoutes(commands: Commands, preview: FileProcess['preview']): Route[] {
  const routes = commandRoutes(commands);
  return [
    ...rowReviewRoutes(
      commands,
      `${crosswalkPath}/mappings`,
      {
        draft: DraftMappings,
        edit: EditMappings,
        examples: {
          draft: { rows: [{ sourceValue: 'AX', targetValue: 'ALA' }] },
          edit: { rows: [{ id: 14517, revision: 1, targetValue: 'URY', confidence: 90 }] },
          rows: {
            draft: { id: 14517, revision: 1 },
            pending: { id: 12946, revision: 2 },
            served: { id: 5166, revision: 3 },
          },
        },
      },
      { draft, edit, review: mappingReview.review },
    ),
    route(
      'post',
      `${crosswalkPath}/mappings/import-preview`,
      writeAccess,
      {
        summary: 'Preview an import of mappings',
        example: STAGED_FILE,
        answers: { 200: MappingImportPreview },
        body: ImportMappings,
      },
      async (request) => ({
        body: await preview({
          principal: request.principal,
          needs: request.needs,
          of: 'mappings',
          input: { id: idParam(request), body: request.body },
        }),
      }),
    ),
    routes.changeAnyRevision('post', `${crosswalkPath}/mappings/import`, writeAccess, ImportMappings, importFile, {
      summary: 'Import mappings from a staged file',
      example: STAGED_FILE,
      answers: { 202: JobAnswer },
    }),
    routes.changeAnyRevision('post', `${crosswalkPath}/suggestions/dismiss`, writeAccess, DismissSuggestions, dismiss, {
      summary: 'Dismiss suggestions',
      example: { body: { rows: [{ sourceValue: 'AX', targetValue: 'AUS' }] } },
      answers: BULK_ANSWERS,
      limit: ROWS_BYTES,
    }),
    routes.changeAnyRevision('post', `${crosswalkPath}/suggestions/restore`, writeAccess, RestoreSuggestions, restore, {
      summary: 'Restore dismissed suggestions',
      example: { body: { ids: [1] } },
      answers: BULK_ANSWERS,
      limit: ROWS_BYTES,
    }),
  ];
}

/** Routes of missing mappings: source values that were requested but have no served mapping. */
function missingMappingRoutes(commands: Commands, pool: Pool): Route[] {
  const resolveChosen = async (body: SelectedMissingMappings) => {
    if ('selectionId' in body) return { selectionId: body.selectionId, from: body.from };
    const crosswalks = await findCrosswalksOfMissing(pool, body.ids);
    return body.ids.map((id) => ({ id, crosswalkId: crosswalks.get(id) }));
  };
  /**
   * Runs the action for a missing mapping. If its crosswalk is deleted or hidden from the user, the refusal is the same
   * as for a missing mapping that does not exist.
   */
  const withMissing = async (
    id: number,
    act: (missing: MissingMappingKey) => Promise<ApiAnswer>,
  ): Promise<ApiAnswer> => {
    const missing = await findMissingMapping(pool, id);
    return act(missing).catch((error: unknown) => {
      throw error instanceof Refusal && error.code === 'NOT_FOUND'
        ? new Refusal('NOT_FOUND', NO_MISSING_MAPPING)
        : error;
    });
  };
  return [
    route(
      'post',
      '/api/missing-mappings',
      { level: 'READ' },
      {
        summary: 'Request a mapping of a value',
        example: { body: { crosswalkId: 1, sourceValue: 'YU', context: 'invoicing' } },
        answers: { 201: withPosition(z.object({ id: z.number(), crosswalkId: z.number(), sourceValue: z.string() })) },
        errors: ['CONFLICT'],
        body: RequestMissingMapping,
      },
      (request) => commands.handle(requestMapping, request, request.body),
    ),
    route(
      'post',
      '/api/missing-mappings/ignore',
      writeAccess,
      {
        summary: 'Ignore many missing mappings',
        example: { body: { ids: [1, 4], comment: 'No longer used' } },
        answers: { 200: BulkAnswer },
        body: IgnoreMissingMappings,
      },
      async (request) => {
        const reason = 'comment' in request.body ? { comment: request.body.comment } : {};
        return commands.handle(decideMany, request, {
          verb: 'ignore',
          ...reason,
          chosen: await resolveChosen(request.body),
        });
      },
    ),
    route(
      'post',
      '/api/missing-mappings/reopen',
      writeAccess,
      {
        summary: 'Reopen many ignored missing mappings',
        example: { body: { ids: [1, 4] } },
        answers: { 200: BulkAnswer },
        body: ReopenMissingMappings,
      },
      async (request) =>
        commands.handle(decideMany, request, { verb: 'reopen', chosen: await resolveChosen(request.body) }),
    ),
    route(
      'post',
      '/api/missing-mappings/:id/ignore',
      writeAccess,
      {
        summary: 'Ignore a missing mapping',
        example: { body: { comment: 'No longer used' } },
        answers: { 200: ChangeAnswer },
        body: z.object({ comment: Reason }),
      },
      async (request) => {
        const id = idParam(request);
        return withMissing(id, ({ crosswalkId }) =>
          commands.handle(ignore, request, { crosswalkId, id, comment: request.body.comment }),
        );
      },
    ),
    route(
      'post',
      '/api/missing-mappings/:id/reopen',
      writeAccess,
      { summary: 'Reopen an ignored missing mapping', answers: { 200: ChangeAnswer } },
      async (request) => {
        const id = idParam(request);
        return withMissing(id, ({ crosswalkId }) => commands.handle(reopen, request, { crosswalkId, id }));
      },
    ),
    route(
      'post',
      '/api/missing-mappings/:id/map',
      writeAccess,
      {
        summary: 'Draft a mapping for the source value of a missing mapping',
        example: { body: { targetValue: 'GBR' } },
        answers: CREATE_ROWS_ANSWERS,
        body: MapMissingMapping,
      },
      async (request) => {
        return withMissing(idParam(request), ({ crosswalkId, sourceValue }) =>
          commands.handle(draft, request, { id: crosswalkId, body: { rows: [{ sourceValue, ...request.body }] } }),
        );
      },
    ),
    route(
      'post',
      '/internal/missing-mapping-requests',
      { service: true },
      {
        summary: 'Record values without a mapping',
        answers: { 200: z.unknown() },
        body: UnknownValues,
        limit: ROWS_BYTES,
      },
      (request) => {
        const { userId, apiKeyId, ...input } = request.body;
        return commands.runAs(recordUnknownValues, request.idempotencyKey, input, {
          actorId: userId,
          ...(apiKeyId === undefined ? {} : { apiKeyId }),
          requestId: request.requestId,
          correlationId: request.correlationId,
          sourceType: 'SYSTEM',
        });
      },
    ),
  ];
}
