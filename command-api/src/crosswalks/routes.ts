/** Routes of crosswalks, mapping values and missing mappings. */
import {
  ChangeCrosswalk,
  DefineCrosswalk,
  DismissSuggestions,
  DraftMappings,
  DuplicateCrosswalk,
  EditMappings,
  IgnoreMissingMappings,
  ImportMappings,
  MapMissingMapping,
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
import { commandRoutes } from '../runtime/command-routes.ts';
import type { Commands } from '../runtime/commands.ts';
import { change, crosswalkReview, define } from './commands.ts';
import { duplicate, reverse } from './copy.ts';
import type { DefinitionVerb } from './decider.ts';
import { findCrosswalksOfMissing, findMissingMapping, type MissingMappingKey } from './find-missing.ts';
import { importFile } from './import-commands.ts';
import { draft, edit, mappingReview } from './mapping-commands.ts';
import { decideMany, ignore, recordUnknownValues, reopen, requestMappings } from './missing-mapping-commands.ts';
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
    requestMappings,
    ignore,
    reopen,
    decideMany,
    recordUnknownValues,
  ]);
  const write = { level: 'WRITE' } as const;
  const one = '/api/crosswalks/:id';
  const resolveChosen = async (body: SelectedMissingMappings) => {
    if ('selectionId' in body) return { selectionId: body.selectionId, from: body.from };
    const crosswalks = await findCrosswalksOfMissing(pool, body.ids);
    return body.ids.map((id) => ({ id, crosswalkId: crosswalks.get(id) }));
  };
  /** Answers that the missing mapping does not exist when its crosswalk is deleted or hidden from the user. */
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
  const routes = commandRoutes(commands);
  return [
    routes.create('/api/crosswalks', write, DefineCrosswalk, define),
    routes.change('patch', one, { level: 'ADMIN' }, ChangeCrosswalk, change),
    routes.changeWithin('post', `${one}/duplicate`, write, DuplicateCrosswalk, duplicate),
    routes.changeWithin('post', `${one}/reverse`, write, ReverseCrosswalk, reverse),
    ...definitionReviewRoutes(commands, one, crosswalkReview.reviewOne, DEFINITION_VERBS),
    ...bulkDefinitionReviewRoutes(commands, '/api/crosswalks', crosswalkReview.reviewMany, DEFINITION_VERBS),
    ...rowReviewRoutes(
      commands,
      `${one}/mappings`,
      { draft: DraftMappings, edit: EditMappings },
      { draft, edit, review: mappingReview.review },
    ),
    route('post', `${one}/mappings/import-preview`, write, { body: ImportMappings }, async (request) => ({
      body: await preview({
        principal: request.principal,
        needs: request.needs,
        of: 'mappings',
        input: { id: idParam(request), body: request.body },
      }),
    })),
    routes.changeWithin('post', `${one}/mappings/import`, write, ImportMappings, importFile),
    routes.changeWithin('post', `${one}/suggestions/dismiss`, write, DismissSuggestions, dismiss, {
      limit: ROWS_BYTES,
    }),
    routes.changeWithin('post', `${one}/suggestions/restore`, write, RestoreSuggestions, restore, {
      limit: ROWS_BYTES,
    }),
    route('post', '/api/missing-mappings', { level: 'READ' }, { body: RequestMissingMapping }, (request) =>
      commands.handle(requestMappings, request, request.body),
    ),
    route('post', '/api/missing-mappings/ignore', write, { body: IgnoreMissingMappings }, async (request) => {
      const reason = 'comment' in request.body ? { comment: request.body.comment } : {};
      return commands.handle(decideMany, request, {
        verb: 'ignore',
        ...reason,
        chosen: await resolveChosen(request.body),
      });
    }),
    route('post', '/api/missing-mappings/reopen', write, { body: ReopenMissingMappings }, async (request) =>
      commands.handle(decideMany, request, { verb: 'reopen', chosen: await resolveChosen(request.body) }),
    ),
    route(
      'post',
      '/api/missing-mappings/:id/ignore',
      write,
      { body: z.object({ comment: Reason }) },
      async (request) => {
        const id = idParam(request);
        return withMissing(id, ({ crosswalkId }) =>
          commands.handle(ignore, request, { crosswalkId, id, comment: request.body.comment }),
        );
      },
    ),
    route('post', '/api/missing-mappings/:id/reopen', write, {}, async (request) => {
      const id = idParam(request);
      return withMissing(id, ({ crosswalkId }) => commands.handle(reopen, request, { crosswalkId, id }));
    }),
    route('post', '/api/missing-mappings/:id/map', write, { body: MapMissingMapping }, async (request) => {
      return withMissing(idParam(request), ({ crosswalkId, sourceValue }) =>
        commands.handle(draft, request, { id: crosswalkId, body: { rows: [{ sourceValue, ...request.body }] } }),
      );
    }),
    route('post', '/internal/sightings', { service: true }, { body: UnknownValues, limit: ROWS_BYTES }, (request) => {
      const { userId, apiKeyId, ...input } = request.body;
      return commands.runAs(recordUnknownValues, request.idempotencyKey, input, {
        actorId: userId,
        ...(apiKeyId === undefined ? {} : { apiKeyId }),
        requestId: request.requestId,
        correlationId: request.correlationId,
        sourceType: 'SYSTEM',
      });
    }),
  ];
}
