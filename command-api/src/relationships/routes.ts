/** Relationships, their attributes and their values over HTTP. */
import {
  ChangeAttribute,
  ChangeRelationship,
  CopyRelationship,
  DefineAttribute,
  DefineRelationship,
  DraftRelationshipValues,
  EditRelationshipValues,
  ImportRelationshipValues,
  RemoveAttribute,
} from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import type { FileProcess } from '../file-imports/file-process.ts';
import { definitionsReviewRoutes, headerReviewRoutes, rowReviewRoutes } from '../review/review-routes.ts';
import type { Commands } from '../runtime/commands.ts';
import { seenIn } from '../runtime/expected-revision.ts';
import { draft, edit, review } from './commands.ts';
import { copy } from './copy.ts';
import type { DeletionVerb } from './decider.ts';
import {
  addAttribute,
  change,
  define,
  dropAttribute,
  editAttribute,
  reviewRelationship,
  reviewRelationships,
} from './definitions.ts';
import { importFile } from './import-commands.ts';

const DELETION_VERBS: readonly Exclude<DeletionVerb, 'delete'>[] = ['recall', 'approve', 'reject', 'restore'];

export function relationshipRoutes(commands: Commands, preview: FileProcess['preview']): Route[] {
  commands.register([
    define,
    change,
    addAttribute,
    editAttribute,
    dropAttribute,
    reviewRelationship,
    reviewRelationships,
    copy,
    draft,
    edit,
    review,
    importFile,
  ]);
  const write = { level: 'WRITE' } as const;
  const admin = { level: 'ADMIN' } as const;
  const one = '/api/relationships/:id';
  const attributes = `${one}/attributes`;
  return [
    route('post', '/api/relationships', write, { body: DefineRelationship }, (said) =>
      commands.handle(define, said, { body: said.body }),
    ),
    route('patch', one, admin, { body: ChangeRelationship }, (said) =>
      commands.handle(change, said, { id: idParam(said), body: said.body, ...seenIn(said) }),
    ),
    ...headerReviewRoutes(commands, one, reviewRelationship, DELETION_VERBS),
    ...definitionsReviewRoutes(commands, '/api/relationships', reviewRelationships, DELETION_VERBS),
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
    ...rowReviewRoutes(
      commands,
      `${one}/values`,
      { draft: DraftRelationshipValues, edit: EditRelationshipValues },
      { draft, edit, review },
    ),
    route('post', `${one}/values/import-preview`, write, { body: ImportRelationshipValues }, async (said) => ({
      body: await preview({
        principal: said.principal,
        needs: said.needs,
        of: 'values',
        asked: { id: idParam(said), body: said.body },
      }),
    })),
    route('post', `${one}/values/import`, write, { body: ImportRelationshipValues }, (said) =>
      commands.handle(importFile, said, { id: idParam(said), body: said.body }),
    ),
  ];
}
