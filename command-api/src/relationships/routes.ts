/** Relationships, their attributes and their values over HTTP. */
import {
  ChangeAttribute,
  ChangeRelationship,
  CopyRelationship,
  DefineAttribute,
  DefineRelationship,
  DraftRelationshipValues,
  EditRelationshipValues,
  HEADER_LEVEL,
  RemoveAttribute,
  ReviewHeader,
  ReviewHeaderWithReason,
  ReviewRows,
  ReviewRowsWithReason,
  VERB_LEVEL,
} from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import type { Commands } from '../commands.ts';
import { NEEDS_REASON, ROW_VERBS } from '../row-review.ts';
import { seenIn } from '../seen.ts';
import { draft, edit, review } from './commands.ts';
import { copy } from './copying.ts';
import type { DeletionVerb } from './decider.ts';
import { addAttribute, change, define, dropAttribute, editAttribute, reviewRelationship } from './definitions.ts';

const ROWS_BYTES = 16 * 1024 * 1024;
const DELETION_VERBS: readonly Exclude<DeletionVerb, 'delete'>[] = ['recall', 'approve', 'reject'];

const saying = (comment: string | undefined) => (comment === undefined ? {} : { comment });

export function relationshipRoutes(commands: Commands): Route[] {
  commands.register([
    define,
    change,
    addAttribute,
    editAttribute,
    dropAttribute,
    reviewRelationship,
    copy,
    draft,
    edit,
    review,
  ]);
  const write = { level: 'WRITE' } as const;
  const admin = { level: 'ADMIN' } as const;
  const one = '/api/relationships/:id';
  const attributes = `${one}/attributes`;
  const values = `${one}/values`;
  return [
    route('post', '/api/relationships', write, { body: DefineRelationship }, (said) =>
      commands.handle(define, said, { body: said.body }),
    ),
    route('patch', one, admin, { body: ChangeRelationship }, (said) =>
      commands.handle(change, said, { id: idParam(said), body: said.body, ...seenIn(said) }),
    ),
    route('delete', one, { level: HEADER_LEVEL.delete }, { body: ReviewHeader.optional() }, (said) =>
      commands.handle(reviewRelationship, said, {
        id: idParam(said),
        verb: 'delete',
        ...saying(said.body?.comment),
        ...seenIn(said),
      }),
    ),
    ...DELETION_VERBS.map((verb) =>
      route(
        'post',
        `${one}/${verb}`,
        { level: HEADER_LEVEL[verb] },
        { body: NEEDS_REASON.has(verb) ? ReviewHeaderWithReason : ReviewHeader },
        (said) =>
          commands.handle(reviewRelationship, said, {
            id: idParam(said),
            verb,
            ...saying(said.body.comment),
            ...seenIn(said),
          }),
      ),
    ),
    route('post', `${one}/copy`, write, { body: CopyRelationship }, (said) =>
      commands.handle(copy, said, { id: idParam(said), body: said.body }),
    ),
    route('post', attributes, admin, { body: DefineAttribute }, (said) =>
      commands.handle(addAttribute, said, { id: idParam(said), body: said.body, ...seenIn(said) }),
    ),
    route('patch', attributes, admin, { body: ChangeAttribute }, (said) =>
      commands.handle(editAttribute, said, { id: idParam(said), body: said.body, ...seenIn(said) }),
    ),
    route('delete', attributes, admin, { body: RemoveAttribute }, (said) =>
      commands.handle(dropAttribute, said, { id: idParam(said), attributeId: said.body.id, ...seenIn(said) }),
    ),
    route('post', values, write, { body: DraftRelationshipValues, limit: ROWS_BYTES }, (said) =>
      commands.handle(draft, said, { id: idParam(said), body: said.body }),
    ),
    route('patch', values, write, { body: EditRelationshipValues, limit: ROWS_BYTES }, (said) =>
      commands.handle(edit, said, { id: idParam(said), body: said.body }),
    ),
    route('delete', values, write, { body: ReviewRows, limit: ROWS_BYTES }, (said) =>
      commands.handle(review, said, { id: idParam(said), verb: 'delete', body: said.body }),
    ),
    ...ROW_VERBS.map((verb) =>
      route(
        'post',
        `${values}/${verb}`,
        { level: VERB_LEVEL[verb] },
        { body: NEEDS_REASON.has(verb) ? ReviewRowsWithReason : ReviewRows, limit: ROWS_BYTES },
        (said) => commands.handle(review, said, { id: idParam(said), verb, body: said.body }),
      ),
    ),
  ];
}
