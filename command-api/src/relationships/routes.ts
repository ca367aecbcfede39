/** Routes of relationships, their attributes and their values. */

import {
  ChangeAttribute,
  ChangeRelationship,
  CopyRelationship,
  DefineAttribute,
  DefineRelationship,
  DraftRelationshipValues,
  EditRelationshipValues,
  ImportRelationshipValues,
  RelationshipCopied,
  RemoveAttribute,
  ValueImportPreview,
} from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import type { FileProcess } from '../file-imports/file-process.ts';
import { bulkDefinitionReviewRoutes, definitionReviewRoutes, rowReviewRoutes } from '../review/review-routes.ts';
import { DefinitionAnswer, JobAnswer, withPosition } from '../runtime/answer-schemas.ts';
import { commandRoutes } from '../runtime/command-routes.ts';
import type { Commands } from '../runtime/commands.ts';
import { expectedRevisionOf } from '../runtime/expected-revision.ts';
import { draft, edit, valueReview } from './commands.ts';
import { copy } from './copy.ts';
import type { DeletionVerb } from './decider.ts';
import { addAttribute, change, define, dropAttribute, editAttribute, relationshipReview } from './definitions.ts';
import { importFile } from './import-commands.ts';

const DELETION_VERBS: readonly Exclude<DeletionVerb, 'delete'>[] = ['recall', 'approve', 'reject', 'restore'];

/** The example of the routes that preview or import a staged file. */
const STAGED_FILE = {
  body: { fileId: '00000000-0000-4000-8000-000000000000' },
  from: { fileId: { operation: 'POST /api/imports', example: 'values of a relationship', property: 'id' } },
};

export function relationshipRoutes(commands: Commands, preview: FileProcess['preview']): Route[] {
  commands.register([
    define,
    change,
    addAttribute,
    editAttribute,
    dropAttribute,
    relationshipReview.reviewOne,
    relationshipReview.reviewMany,
    copy,
    draft,
    edit,
    valueReview.review,
    importFile,
  ]);
  const writeAccess = { level: 'WRITE' } as const;
  const admin = { level: 'ADMIN' } as const;
  const relationshipPath = '/api/relationships/:id';
  const attributes = `${relationshipPath}/attributes`;
  const routes = commandRoutes(commands);
  return [
    routes.create('/api/relationships', writeAccess, DefineRelationship, define, {
      summary: 'Create a relationship',
      example: {
        body: { name: 'Neighbours', sourceDataSetId: 1, targetDataSetId: 2, sourceField: 'code', targetField: 'code' },
      },
      answers: { 201: DefinitionAnswer },
      errors: ['NAME_TAKEN', 'IN_USE'],
    }),
    routes.change('patch', relationshipPath, admin, ChangeRelationship, change, {
      summary: 'Change a relationship',
      example: { body: { relationshipType: 'belongs to' } },
      answers: { 200: DefinitionAnswer },
      errors: ['NAME_TAKEN'],
    }),
    ...definitionReviewRoutes(commands, relationshipPath, relationshipReview.reviewOne, DELETION_VERBS),
    ...bulkDefinitionReviewRoutes(commands, '/api/relationships', relationshipReview.reviewMany, DELETION_VERBS),
    routes.changeAnyRevision('post', `${relationshipPath}/copy`, writeAccess, CopyRelationship, copy, {
      summary: 'Copy a relationship',
      example: { body: { name: 'Regions, a copy', preview: true } },
      answers: { 200: withPosition(RelationshipCopied), 201: withPosition(RelationshipCopied) },
      errors: ['NAME_TAKEN'],
    }),
    routes.change('post', attributes, admin, DefineAttribute, addAttribute, {
      summary: 'Add an attribute to a relationship',
      example: { body: { name: 'since', dataType: 'date' } },
      answers: { 201: DefinitionAnswer },
      errors: ['NAME_TAKEN'],
    }),
    routes.change('patch', attributes, admin, ChangeAttribute, editAttribute, {
      summary: 'Change an attribute of a relationship',
      example: { body: { id: 1, description: 'The first day' } },
      answers: { 200: DefinitionAnswer },
      errors: ['NAME_TAKEN'],
    }),
    route(
      'delete',
      attributes,
      admin,
      {
        summary: 'Remove an attribute of a relationship',
        example: { body: { id: 1 } },
        answers: { 200: DefinitionAnswer },
        body: RemoveAttribute,
      },
      (request) =>
        commands.handle(dropAttribute, request, {
          id: idParam(request),
          attributeId: request.body.id,
          ...expectedRevisionOf(request),
        }),
    ),
    ...rowReviewRoutes(
      commands,
      `${relationshipPath}/values`,
      {
        draft: DraftRelationshipValues,
        edit: EditRelationshipValues,
        examples: {
          draft: { sourceKey: 'Europe/Busingen', targetKey: 'DE' },
          edit: { rows: [{ id: 26104, revision: 1, attributes: {} }] },
          rows: {
            draft: { id: 26104, revision: 1 },
            pending: { id: 23632, revision: 2 },
            served: { id: 104, revision: 3 },
          },
        },
      },
      { draft, edit, review: valueReview.review },
    ),
    route(
      'post',
      `${relationshipPath}/values/import-preview`,
      writeAccess,
      {
        summary: 'Preview an import of relationship values',
        example: STAGED_FILE,
        answers: { 200: ValueImportPreview },
        body: ImportRelationshipValues,
      },
      async (request) => ({
        body: await preview({
          principal: request.principal,
          needs: request.needs,
          of: 'values',
          input: { id: idParam(request), body: request.body },
        }),
      }),
    ),
    routes.changeAnyRevision(
      'post',
      `${relationshipPath}/values/import`,
      writeAccess,
      ImportRelationshipValues,
      importFile,
      {
        summary: 'Import relationship values from a staged file',
        example: STAGED_FILE,
        answers: { 202: JobAnswer },
      },
    ),
  ];
}
