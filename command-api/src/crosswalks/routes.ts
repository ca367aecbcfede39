/** Crosswalks, mapping values and missing mappings over HTTP. */
import {
  ChangeCrosswalk,
  type ChosenMissing,
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
} from '@rdm/contracts';
import { type ApiAnswer, idParam, type Pool, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import type { FileProcess } from '../file-imports/file-process.ts';
import { definitionsReviewRoutes, headerReviewRoutes, ROWS_BYTES, rowReviewRoutes } from '../review/review-routes.ts';
import type { Commands } from '../runtime/commands.ts';
import { seenIn } from '../runtime/expected-revision.ts';
import { change, define, reviewCrosswalk, reviewCrosswalks } from './commands.ts';
import { duplicate, reverse } from './copy.ts';
import type { HeaderVerb } from './decider.ts';
import { type FoundMissing, findCrosswalksOfMissing, findMissingMapping } from './find-missing.ts';
import { importFile } from './import-commands.ts';
import { draft, edit, review } from './mapping-commands.ts';
import { decideMany, ignore, reopen, request, sight } from './missing-mapping-commands.ts';
import { Sightings } from './missing-mapping-counters.ts';
import { NO_MISSING_MAPPING } from './missing-mappings.ts';
import { dismiss, restore } from './suggestion-commands.ts';

const HEADER_VERBS: readonly Exclude<HeaderVerb, 'delete'>[] = [
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
    reviewCrosswalk,
    reviewCrosswalks,
    draft,
    edit,
    review,
    importFile,
    dismiss,
    restore,
    request,
    ignore,
    reopen,
    decideMany,
    sight,
  ]);
  const write = { level: 'WRITE' } as const;
  const one = '/api/crosswalks/:id';
  const chosenMissing = async (body: ChosenMissing) => {
    if ('selectionId' in body) return { selectionId: body.selectionId, from: body.from };
    const crosswalks = await findCrosswalksOfMissing(pool, body.ids);
    return body.ids.map((id) => ({ id, crosswalkId: crosswalks.get(id) }));
  };
  /** One of a crosswalk that is gone, or hidden from who asks, is answered as one that never was. */
  const ofMissing = async (id: number, act: (missing: FoundMissing) => Promise<ApiAnswer>): Promise<ApiAnswer> => {
    const missing = await findMissingMapping(pool, id);
    return act(missing).catch((error: unknown) => {
      throw error instanceof Refusal && error.code === 'NOT_FOUND'
        ? new Refusal('NOT_FOUND', NO_MISSING_MAPPING)
        : error;
    });
  };
  return [
    route('post', '/api/crosswalks', write, { body: DefineCrosswalk }, (said) =>
      commands.handle(define, said, { body: said.body }),
    ),
    route('patch', one, { level: 'ADMIN' }, { body: ChangeCrosswalk }, (said) =>
      commands.handle(change, said, { id: idParam(said), body: said.body, ...seenIn(said) }),
    ),
    route('post', `${one}/duplicate`, write, { body: DuplicateCrosswalk }, (said) =>
      commands.handle(duplicate, said, { id: idParam(said), body: said.body }),
    ),
    route('post', `${one}/reverse`, write, { body: ReverseCrosswalk }, (said) =>
      commands.handle(reverse, said, { id: idParam(said), body: said.body }),
    ),
    ...headerReviewRoutes(commands, one, reviewCrosswalk, HEADER_VERBS),
    ...definitionsReviewRoutes(commands, '/api/crosswalks', reviewCrosswalks, HEADER_VERBS),
    ...rowReviewRoutes(
      commands,
      `${one}/mappings`,
      { draft: DraftMappings, edit: EditMappings },
      { draft, edit, review },
    ),
    route('post', `${one}/mappings/import-preview`, write, { body: ImportMappings }, async (said) => ({
      body: await preview({
        principal: said.principal,
        needs: said.needs,
        of: 'mappings',
        asked: { id: idParam(said), body: said.body },
      }),
    })),
    route('post', `${one}/mappings/import`, write, { body: ImportMappings }, (said) =>
      commands.handle(importFile, said, { id: idParam(said), body: said.body }),
    ),
    route('post', `${one}/suggestions/dismiss`, write, { body: DismissSuggestions, limit: ROWS_BYTES }, (said) =>
      commands.handle(dismiss, said, { id: idParam(said), body: said.body }),
    ),
    route('post', `${one}/suggestions/restore`, write, { body: RestoreSuggestions, limit: ROWS_BYTES }, (said) =>
      commands.handle(restore, said, { id: idParam(said), body: said.body }),
    ),
    route('post', '/api/missing-mappings', { level: 'READ' }, { body: RequestMissingMapping }, (said) =>
      commands.handle(request, said, said.body),
    ),
    route('post', '/api/missing-mappings/ignore', write, { body: IgnoreMissingMappings }, async (said) => {
      const reason = 'comment' in said.body ? { comment: said.body.comment } : {};
      return commands.handle(decideMany, said, { verb: 'ignore', ...reason, chosen: await chosenMissing(said.body) });
    }),
    route('post', '/api/missing-mappings/reopen', write, { body: ReopenMissingMappings }, async (said) =>
      commands.handle(decideMany, said, { verb: 'reopen', chosen: await chosenMissing(said.body) }),
    ),
    route('post', '/api/missing-mappings/:id/ignore', write, { body: z.object({ comment: Reason }) }, async (said) => {
      const id = idParam(said);
      return ofMissing(id, ({ crosswalkId }) =>
        commands.handle(ignore, said, { crosswalkId, id, comment: said.body.comment }),
      );
    }),
    route('post', '/api/missing-mappings/:id/reopen', write, {}, async (said) => {
      const id = idParam(said);
      return ofMissing(id, ({ crosswalkId }) => commands.handle(reopen, said, { crosswalkId, id }));
    }),
    route('post', '/api/missing-mappings/:id/map', write, { body: MapMissingMapping }, async (said) => {
      return ofMissing(idParam(said), ({ crosswalkId, sourceValue }) =>
        commands.handle(draft, said, { id: crosswalkId, body: { rows: [{ sourceValue, ...said.body }] } }),
      );
    }),
    route('post', '/internal/sightings', { service: true }, { body: Sightings, limit: ROWS_BYTES }, (said) => {
      const { userId, apiKeyId, ...seen } = said.body;
      return commands.runAs(sight, said.idempotencyKey, seen, {
        actorId: userId,
        ...(apiKeyId === undefined ? {} : { apiKeyId }),
        requestId: said.requestId,
        correlationId: said.correlationId,
        sourceType: 'SYSTEM',
      });
    }),
  ];
}
