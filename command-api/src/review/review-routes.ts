/** Declares the review routes of definitions and their rows, with the level that each verb requires. */

import {
  DEFINITION_LEVEL,
  ReviewDefinition,
  ReviewDefinitionWithReason,
  ReviewRows,
  ReviewRowsWithReason,
  VERB_LEVEL,
} from '@rdm/contracts';
import { type ApiRequest, idParam, type Route, route } from '@rdm/platform';
import type { z } from 'zod';
import { BULK_ANSWERS, CREATE_ROWS_ANSWERS, DefinitionAnswer } from '../runtime/answer-schemas.ts';
import { commandRoutes } from '../runtime/command-routes.ts';
import type { CommandDefinition, Commands } from '../runtime/commands.ts';
import { expectedRevisionOf } from '../runtime/expected-revision.ts';
import { NEEDS_REASON, ROW_VERBS, type RowVerb } from './row-review.ts';

/** The maximum number of bytes of a request body: enough for ten thousand rows, unless their values are very long. */
export const ROWS_BYTES = 16 * 1024 * 1024;

/** The effect of each verb, for the API reference. */
const VERB_SUMMARY: Readonly<Record<keyof typeof DEFINITION_LEVEL, string>> = {
  edit: 'Change',
  submit: 'Submit for approval',
  recall: 'Recall from the review',
  approve: 'Approve',
  reject: 'Reject',
  revoke: 'Stop serving the approved value',
  discard: 'Discard the draft',
  delete: 'Delete',
  restore: 'Restore after a deletion',
};

/** The description in the API reference of every route that reviews one definition. */
const DEFINITION_DOCUMENT = {
  example: { body: { comment: 'Checked' } },
  answers: { 200: DefinitionAnswer },
  errors: ['FOUR_EYES', 'FORBIDDEN', 'IN_USE', 'PURGE_RUNNING'],
} as const;
/** The description in the API reference of every route that reviews many rows or definitions; `row` is the example. */
const rowsDocument = (row: SampleRow) => ({
  answers: BULK_ANSWERS,
  example: { body: { rows: [row], comment: 'Checked' } },
});
const DEFINITIONS_DOCUMENT = rowsDocument({ id: 1, revision: 1 });

interface SampleRow {
  id: number;
  revision: number;
}

/** Rows of the sample data by their state, for the examples. */
type SampleRows = Readonly<Record<'draft' | 'pending' | 'served', SampleRow>>;

/** The state of the sample row in the example of each verb. */
const STATE_FOR_VERB: Readonly<Record<RowVerb, keyof SampleRows>> = {
  submit: 'draft',
  recall: 'pending',
  approve: 'pending',
  reject: 'pending',
  revoke: 'served',
  discard: 'served',
  restore: 'draft',
  delete: 'draft',
};

interface DefinitionReviewInput<Verb> {
  id: number;
  verb: Verb | 'delete';
  comment?: string;
  /** The expected revision. Stored commands contain it under this name. */
  seen?: number;
}

/** `DELETE path` and `POST path/{verb}` of one definition. */
export function definitionReviewRoutes<Verb extends keyof typeof DEFINITION_LEVEL>(
  commands: Commands,
  path: string,
  review: CommandDefinition<DefinitionReviewInput<Verb>>,
  verbs: readonly Verb[],
): Route[] {
  const decide = (request: ApiRequest<{ comment?: string | undefined } | undefined>, verb: Verb | 'delete') =>
    commands.handle(review, request, {
      id: idParam(request),
      verb,
      ...(request.body?.comment === undefined ? {} : { comment: request.body.comment }),
      ...expectedRevisionOf(request),
    });
  return [
    route(
      'delete',
      path,
      { level: DEFINITION_LEVEL.delete },
      { summary: `${VERB_SUMMARY.delete}: one definition`, ...DEFINITION_DOCUMENT, body: ReviewDefinition.optional() },
      (request) => decide(request, 'delete'),
    ),
    ...verbs.map((verb) =>
      route(
        'post',
        `${path}/${verb}`,
        { level: DEFINITION_LEVEL[verb] },
        {
          summary: `${VERB_SUMMARY[verb]}: one definition`,
          ...DEFINITION_DOCUMENT,
          body: NEEDS_REASON.has(verb) ? ReviewDefinitionWithReason : ReviewDefinition,
        },
        (request) => decide(request, verb),
      ),
    ),
  ];
}

/** `DELETE path` and `POST path/{verb}` of many definitions, with an outcome for each. */
export function bulkDefinitionReviewRoutes<Verb extends keyof typeof DEFINITION_LEVEL>(
  commands: Commands,
  path: string,
  review: CommandDefinition<{ verb: Verb | 'delete'; body: ReviewRows }>,
  verbs: readonly Verb[],
): Route[] {
  const limit = ROWS_BYTES;
  return [
    route(
      'delete',
      path,
      { level: DEFINITION_LEVEL.delete },
      { summary: `${VERB_SUMMARY.delete}: many definitions`, ...DEFINITIONS_DOCUMENT, body: ReviewRows, limit },
      (request) => commands.handle(review, request, { verb: 'delete', body: request.body }),
    ),
    ...verbs.map((verb) =>
      route(
        'post',
        `${path}/${verb}`,
        { level: DEFINITION_LEVEL[verb] },
        {
          summary: `${VERB_SUMMARY[verb]}: many definitions`,
          ...DEFINITIONS_DOCUMENT,
          body: NEEDS_REASON.has(verb) ? ReviewRowsWithReason : ReviewRows,
          limit,
        },
        (request) => commands.handle(review, request, { verb, body: request.body }),
      ),
    ),
  ];
}

interface RowCommands<Draft, Edit> {
  draft: CommandDefinition<{ id: number; body: Draft }>;
  edit: CommandDefinition<{ id: number; body: Edit }>;
  review: CommandDefinition<{ id: number; verb: RowVerb; body: ReviewRows }>;
}

/** `POST`, `PATCH` and `DELETE path`, and `POST path/{verb}` of rows, with an outcome for each. */
export function rowReviewRoutes<Draft extends z.ZodType, Edit extends z.ZodType>(
  commands: Commands,
  path: string,
  bodies: { draft: Draft; edit: Edit; examples: { draft: unknown; edit: unknown; rows: SampleRows } },
  { draft, edit, review }: RowCommands<z.infer<Draft>, z.infer<Edit>>,
): Route[] {
  const writeAccess = { level: 'WRITE' } as const;
  const limit = ROWS_BYTES;
  const routes = commandRoutes(commands);
  const { rows } = bodies.examples;
  return [
    routes.changeAnyRevision('post', path, writeAccess, bodies.draft, draft, {
      summary: 'Create values as drafts',
      example: { body: bodies.examples.draft },
      answers: CREATE_ROWS_ANSWERS,
      limit,
    }),
    routes.changeAnyRevision('patch', path, writeAccess, bodies.edit, edit, {
      summary: 'Change values as drafts',
      example: { body: bodies.examples.edit },
      answers: BULK_ANSWERS,
      limit,
    }),
    route(
      'delete',
      path,
      writeAccess,
      {
        summary: `${VERB_SUMMARY.delete}: values`,
        ...rowsDocument(rows[STATE_FOR_VERB.delete]),
        body: ReviewRows,
        limit,
      },
      (request) => commands.handle(review, request, { id: idParam(request), verb: 'delete', body: request.body }),
    ),
    ...ROW_VERBS.map((verb) =>
      route(
        'post',
        `${path}/${verb}`,
        { level: VERB_LEVEL[verb] },
        {
          summary: `${VERB_SUMMARY[verb]}: values`,
          ...rowsDocument(rows[STATE_FOR_VERB[verb]]),
          body: NEEDS_REASON.has(verb) ? ReviewRowsWithReason : ReviewRows,
          limit,
        },
        (request) => commands.handle(review, request, { id: idParam(request), verb, body: request.body }),
      ),
    ),
  ];
}
