/** Routes of imports: validate rows, upload a file, start its import, and cancel, retry or undo the job. */
import { activeFields, Refusal, streams, VALIDATED_BYTES_MAX, ValidationTestView } from '@rdm/contracts';
import { type ApiRequest, type Route, requireRole, route } from '@rdm/platform';
import { z } from 'zod';
import type { RowsToValidate } from '../file-imports/file-process.ts';
import { requireType } from '../invariants/dependants.ts';
import { dataSetFor } from '../runtime/authorise.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { cancel, retry, start, startDraftCommand, startUpload } from './commands.ts';
import type { ImportDependencies } from './dependencies.ts';
import { draftRoutes } from './drafts/routes.ts';
import { importJobRoutes, undoRoutes } from './job-routes.ts';
import { undoImport } from './undo/commands.ts';
import { receiveBody } from './upload/upload.ts';
import { UploadSlots } from './upload/upload-limits.ts';
import { uploadRoute } from './upload/upload-route.ts';

const TargetId = z.coerce.number({ error: 'An id is a positive integer' }).int().positive();

export const VALIDATION_TEST = '/api/validation-test';

/** The data set or type against which rows are validated. */
const ValidationTarget = z.object({
  dataSetId: TargetId.optional().describe('The data set whose rules apply to the rows.'),
  referenceTypeId: TargetId.optional().describe('The reference type whose rules apply to the rows.'),
});
const READS_TYPES = { route: '/reference-types' } as const;

export function importRoutes(context: ImportDependencies): Route[] {
  const { commands, pool, access, openExecution, crosswalk, relationship, wake, wakeDrafts, preview } = context;
  const slots = new UploadSlots();
  const startDraft = startDraftCommand(context.creators);
  commands.register([start, startDraft, startUpload, cancel, retry, undoImport]);
  const wakeAfter = async <T>(work: Promise<T>): Promise<T> => {
    const answer = await work;
    wake();
    return answer;
  };

  /** Returns the rules of a data set or a type. Throws if the caller may not read the data set or types. */
  async function rulesFor(
    x: Execution,
    { dataSetId, referenceTypeId }: z.infer<typeof ValidationTarget>,
  ): Promise<Omit<RowsToValidate, 'content'>> {
    if ((dataSetId === undefined) === (referenceTypeId === undefined)) {
      throw new Refusal('INVALID', 'Name what to validate against: either dataSetId or referenceTypeId');
    }
    const dataSet = dataSetId === undefined ? undefined : await dataSetFor(x, dataSetId, 'READ');
    if (!dataSet) requireRole(READS_TYPES, await access.current(), await x.actor());
    const typeId = dataSet?.typeId ?? (referenceTypeId as number);
    const type = requireType((await x.load(kinds.referenceType, streams.referenceType(typeId))).state);
    const fields = activeFields(type);
    if (fields.length === 0) throw new Refusal('INVALID', `The type "${type.name}" has no fields: add one first`);
    const keyFieldIds = dataSet?.keyFieldIds ?? fields.flatMap((each) => (each.isPrimaryKey ? each.fieldId : []));
    return { type, keyFieldIds };
  }

  async function validate(request: ApiRequest<unknown, z.infer<typeof ValidationTarget>>) {
    const rules = await rulesFor(openExecution(request), request.query);
    const content = await receiveBody(request.raw, VALIDATED_BYTES_MAX);
    return { body: await preview({ of: 'rows', ...rules, content }) };
  }

  return [
    route(
      'post',
      VALIDATION_TEST,
      { route: '/validation-test' },
      {
        summary: 'Validate rows without importing them',
        example: { query: { dataSetId: 1 }, body: 'code,name\nDE,Germany\nFR,France\n' },
        errors: ['NOT_FOUND'],
        consumes: { 'text/csv': z.string(), 'application/json': z.unknown() },
        answers: { 200: ValidationTestView },
        query: ValidationTarget,
        limit: 'stream',
      },
      (request) => slots.run(request.principal.userId, () => validate(request)),
    ),
    uploadRoute(context, slots),
    ...draftRoutes({ pool, openExecution, crosswalk, relationship, wake: wakeDrafts }),
    ...importJobRoutes(context, startDraft, wakeAfter),
    ...undoRoutes(commands, openExecution),
  ];
}
