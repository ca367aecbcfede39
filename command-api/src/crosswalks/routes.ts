/** Crosswalks, mapping values and missing mappings over HTTP. */
import {
  authorOf,
  ChangeCrosswalk,
  DefineCrosswalk,
  DraftMappings,
  EditMappings,
  HEADER_LEVEL,
  Reason,
  RequestMissingMapping,
  ReviewHeader,
  ReviewHeaderWithReason,
  ReviewRows,
  ReviewRowsWithReason,
  VERB_LEVEL,
} from '@rdm/contracts';
import { actorOf, idParam, type Pool, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import type { Commands } from '../commands.ts';
import { NEEDS_REASON, ROW_VERBS } from '../row-review.ts';
import { seenIn } from '../seen.ts';
import { change, define, draft, edit, ignore, request, review, reviewCrosswalk, sight } from './commands.ts';
import type { HeaderVerb } from './decider.ts';
import { countSightings, missingMappingCrosswalk, Sightings } from './sightings.ts';

const ROWS_BYTES = 16 * 1024 * 1024;
const HEADER_VERBS: readonly HeaderVerb[] = ['submit', 'recall', 'approve', 'reject', 'revoke'];

const saying = (comment: string | undefined) => (comment === undefined ? {} : { comment });

export function crosswalkRoutes(commands: Commands, pool: Pool): Route[] {
  commands.register([define, change, reviewCrosswalk, draft, edit, review, request, ignore, sight]);
  const write = { level: 'WRITE' } as const;
  const one = '/api/crosswalks/:id';
  const mappings = `${one}/mappings`;
  return [
    route('post', '/api/crosswalks', write, { body: DefineCrosswalk }, (said) =>
      commands.handle(define, said, { body: said.body }),
    ),
    route('patch', one, { level: 'ADMIN' }, { body: ChangeCrosswalk }, (said) =>
      commands.handle(change, said, { id: idParam(said), body: said.body, ...seenIn(said) }),
    ),
    route('delete', one, { level: HEADER_LEVEL.delete }, { body: ReviewHeader.optional() }, (said) =>
      commands.handle(reviewCrosswalk, said, {
        id: idParam(said),
        verb: 'delete',
        ...saying(said.body?.comment),
        ...seenIn(said),
      }),
    ),
    ...HEADER_VERBS.map((verb) =>
      route(
        'post',
        `${one}/${verb}`,
        { level: HEADER_LEVEL[verb] },
        { body: NEEDS_REASON.has(verb) ? ReviewHeaderWithReason : ReviewHeader },
        (said) =>
          commands.handle(reviewCrosswalk, said, {
            id: idParam(said),
            verb,
            ...saying(said.body.comment),
            ...seenIn(said),
          }),
      ),
    ),
    route('post', mappings, write, { body: DraftMappings, limit: ROWS_BYTES }, (said) =>
      commands.handle(draft, said, { id: idParam(said), body: said.body }),
    ),
    route('patch', mappings, write, { body: EditMappings, limit: ROWS_BYTES }, (said) =>
      commands.handle(edit, said, { id: idParam(said), body: said.body }),
    ),
    route('delete', mappings, write, { body: ReviewRows, limit: ROWS_BYTES }, (said) =>
      commands.handle(review, said, { id: idParam(said), verb: 'delete', body: said.body }),
    ),
    ...ROW_VERBS.map((verb) =>
      route(
        'post',
        `${mappings}/${verb}`,
        { level: VERB_LEVEL[verb] },
        { body: NEEDS_REASON.has(verb) ? ReviewRowsWithReason : ReviewRows, limit: ROWS_BYTES },
        (said) => commands.handle(review, said, { id: idParam(said), verb, body: said.body }),
      ),
    ),
    route('post', '/api/missing-mappings', { level: 'READ' }, { body: RequestMissingMapping }, async (said) => {
      const answer = await commands.handle(request, said, said.body);
      await countSightings(
        pool,
        said.body.crosswalkId,
        [said.body.sourceValue],
        authorOf(actorOf(said.principal)),
        null,
      );
      return answer;
    }),
    route('post', '/api/missing-mappings/:id/ignore', write, { body: z.object({ comment: Reason }) }, async (said) => {
      const id = idParam(said);
      const crosswalkId = await missingMappingCrosswalk(pool, id);
      return commands.handle(ignore, said, { crosswalkId, id, comment: said.body.comment });
    }),
    route('post', '/internal/sightings', { service: true }, { body: Sightings, limit: ROWS_BYTES }, async (said) => {
      const { crosswalkId, userId, values, context } = said.body;
      await countSightings(pool, crosswalkId, values, userId, context ?? null);
      return commands.runAs(
        sight,
        said.idempotencyKey,
        { crosswalkId, values: [...new Set(values)] },
        {
          actorId: userId,
          requestId: said.requestId,
          correlationId: said.correlationId,
          sourceType: 'SYSTEM',
        },
      );
    }),
  ];
}
