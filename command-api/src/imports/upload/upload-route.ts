/**
 * The route that uploads and stages a file. The file becomes a draft if it has no target, or if the upload starts the
 * import.
 */
import { createHash } from 'node:crypto';
import {
  activeFields,
  ChangeDraft,
  DraftSettings,
  hasAbility,
  hasLevelSomewhere,
  ImportDraft,
  Refusal,
  StagedFileView,
  StagedRowsView,
  streams,
} from '@rdm/contracts';
import { type ApiAnswer, type ApiRequest, authenticate, draftView, ENCODINGS, type Route, route } from '@rdm/platform';
import { v5 as uuidv5 } from 'uuid';
import { z } from 'zod';
import {
  completeStaging,
  discardReplaced,
  discardStaged,
  requireReviewedRowsSize,
  type StagedDraft,
  type StagedView,
} from '../../file-imports/staged-files.ts';
import { utf8Transcoder } from '../../file-imports/text-encoding.ts';
import { requireType } from '../../invariants/dependants.ts';
import { requireNoExclusiveImport } from '../../invariants/exclusive-import.ts';
import { JobStarted } from '../../runtime/answer-schemas.ts';
import { dataSetFor } from '../../runtime/authorise.ts';
import type { Execution } from '../../runtime/execution.ts';
import { kinds } from '../../runtime/stream-kinds.ts';
import { findReplayed, requireDataSetTarget, startUpload } from '../commands.ts';
import type { ImportDependencies } from '../dependencies.ts';
import { createDraft, requireDraft, requireFewReading } from '../drafts/draft-store.ts';
import { DELIMITERS, detect } from './detection.ts';
import { declaredBytes, receiveUpload, type Upload } from './upload.ts';
import { requireStagingSpace, UploadPace, type UploadSlots } from './upload-limits.ts';

const NAMESPACE = '0c5d1f0a-9f3c-4f0e-8a55-2f6f2d1f9b74';

const TargetId = z.coerce.number({ error: 'An id is a positive integer' }).int().positive();

/** The target of the file, and the id of an earlier file of the caller that this file replaces. */
const TargetFields = z.object({
  dataSetId: TargetId.optional(),
  crosswalkId: TargetId.optional(),
  relationshipId: TargetId.optional(),
  replaces: z.uuid().optional(),
});
type TargetFields = z.infer<typeof TargetFields>;

/** The form fields of an upload that starts its import. */
const StartFields = z.object({
  start: z.enum(['true', 'false'], { error: 'start is true or false' }).optional(),
  settings: z
    .string()
    .transform((text, { addIssue }) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        addIssue('The settings are not valid JSON');
        return z.NEVER;
      }
    })
    .pipe(ChangeDraft)
    .optional(),
});

/** The form fields of a file with mappings or relationship values. */
const RowsFields = z.union([
  z.object({ crosswalkId: TargetId, encoding: z.enum(ENCODINGS).optional() }),
  z.object({ relationshipId: TargetId, encoding: z.enum(ENCODINGS).optional() }),
]);

/** The form fields of a file with rows of a data set. Omitted optional fields are detected. */
const UploadFields = z.object({
  dataSetId: z.coerce.number({ error: 'Name the data set to import into: dataSetId' }).int().positive(),
  delimiter: z.enum(DELIMITERS, { error: 'The delimiter is a comma, a semicolon, a tab or a vertical bar' }).optional(),
  encoding: z.enum(ENCODINGS, { error: `The encoding is one of ${ENCODINGS.join(', ')}` }).optional(),
  hasHeader: z
    .enum(['true', 'false'], { error: 'hasHeader is true or false' })
    .transform((word) => word === 'true')
    .optional(),
});

/** The form of an upload: the fields come before the file. */
const UploadForm = TargetFields.extend({
  ...UploadFields.omit({ dataSetId: true }).shape,
  start: z
    .enum(['true', 'false'])
    .optional()
    .describe(
      '`true` starts the import into the data set as soon as the file has been read; the answer is 202 with the job.',
    ),
  settings: z
    .string()
    .optional()
    .describe('With `start`: the settings of the draft as JSON, as for `PATCH /api/imports/{id}`.'),
  file: z
    .string()
    .meta({ contentMediaType: 'application/octet-stream' })
    .optional()
    .describe('The last part: all other parts come before the file.'),
  text: z.string().optional().describe('The contents instead of a file.'),
});

/** The answer to an upload that starts its import: the job. */
const UploadStarted = JobStarted.extend({
  replayed: z
    .literal(true)
    .optional()
    .describe(
      'The file was already imported with this target and these settings, and no other import followed: `jobId` is the earlier job.',
    ),
});

export function uploadRoute(context: ImportDependencies, slots: UploadSlots): Route {
  const {
    commands,
    pool,
    uploadPool,
    access,
    settings,
    openExecution,
    crosswalk,
    relationship,
    wake,
    wakeDrafts,
    pace,
  } = context;
  const uploadPace = new UploadPace((userId) => pace.hasOtherActivity(userId));

  async function upload(request: ApiRequest): Promise<ApiAnswer> {
    const { userId } = request.principal;
    // A repeated request has the upload key of the first request, so that the first copy of the file is used.
    const uploadKey = uuidv5(`${userId}:${request.idempotencyKey}`, NAMESPACE);
    const received = await receiveUpload(uploadPool, request.raw, userId, {
      async requireTarget(fields) {
        const { replaces, ...into } = TargetFields.parse(fields);
        const started = startSettings(fields);
        const x = openExecution(request);
        if (started) requireNoExclusiveImport(await dataSetFor(x, requireDataSetTarget(started)));
        else await requireLevelOnTarget(x, into);
        if (started || hasNoTarget(into)) {
          await requireFewReading(pool, userId, replaces === undefined ? [uploadKey] : [uploadKey, replaces]);
        }
        await requireStagingSpace(pool, userId, declaredBytes(request.raw), replaces);
        // The process that reads files starts while the file arrives.
        if (started || hasNoTarget(into)) wakeDrafts();
        if (started || into.dataSetId !== undefined) wake();
      },
      waitForTurn: () => uploadPace.waitForTurn(openExecution(request).actorId),
      async requireStillAllowed() {
        await access.current();
        if (await authenticate(request.raw.headers, { pool, access, settings })) return;
        throw new Refusal('UNAUTHENTICATED', 'Sign in first');
      },
    });
    const x = openExecution(request);
    const { replaces, ...into } = TargetFields.parse(received.fields);
    const started = startSettings(received.fields);
    const replayKey = started && replayKeyOf(received, started);
    let stored: StagedView;
    try {
      const replayed = replayKey && (await findReplayed(x, replayKey));
      if (replayed) {
        await discardStaged(pool, received.fileId);
        return { status: 200, body: { jobId: replayed, replayed: true } };
      }
      const view = await viewOf(x, started ? {} : into, received);
      const completed = await completeStaging(pool, uploadKey, view);
      stored = requireSame(view, completed, started ? isSameFile : isSameView);
    } catch (error) {
      await discardStaged(pool, received.fileId);
      throw error;
    }
    if (replaces !== undefined && replaces !== stored.id) await discardReplaced(pool, userId, replaces);
    if (!started && stored.dataSetId !== null) return { status: 201, body: stored };
    await createDraft(pool, stored.id, userId, started).catch(async (error: unknown) => {
      if (error instanceof Refusal) await discardStaged(pool, stored.id);
      throw error;
    });
    wakeDrafts();
    if (replayKey) return commands.handle(startUpload, request, { fileId: stored.id, replayKey });
    return { status: 201, body: draftView(await requireDraft(pool, stored.id, userId)) };
  }

  function viewOf(x: Execution, into: Omit<TargetFields, 'replaces'>, received: Upload) {
    if (into.dataSetId !== undefined) return fileView(x, received);
    if (into.crosswalkId !== undefined || into.relationshipId !== undefined) return rowsView(x, received);
    const { fileId: id, fileName, size, hash, encoding } = received;
    if (size === 0) throw new Refusal('INVALID', 'The file is empty');
    return { id, dataSetId: null, fileName, size, hash, encoding } satisfies StagedDraft;
  }

  async function requireLevelOnTarget(
    x: Execution,
    { dataSetId, crosswalkId, relationshipId }: Omit<TargetFields, 'replaces'>,
  ): Promise<void> {
    if (dataSetId !== undefined) await dataSetFor(x, dataSetId);
    else if (crosswalkId !== undefined) await crosswalk(x, crosswalkId);
    else if (relationshipId !== undefined) await relationship(x, relationshipId);
    else await requireImportsSomewhere(x);
  }

  /** Throws unless the caller may create data sets or has the route's level on some data set. */
  async function requireImportsSomewhere(x: Execution): Promise<void> {
    const [state, actor] = [await access.current(), await x.actor()];
    if (hasAbility(state, actor, 'dataSets.create') || hasLevelSomewhere(state, actor, x.level)) return;
    throw new Refusal('FORBIDDEN', `This needs ${x.level} permission on a data set`);
  }

  /** Returns the view of a file with mappings or relationship values, without the format, which is detected later. */
  async function rowsView(
    x: Execution,
    { fileId, fileName, size, hash, ...received }: Upload,
  ): Promise<StagedRowsView> {
    const { encoding = received.encoding, ...into } = RowsFields.parse(received.fields);
    const target = 'crosswalkId' in into ? crosswalk(x, into.crosswalkId) : relationship(x, into.relationshipId);
    const [dataSetId] = (await target).governedBy as [number];
    if (size === 0) throw new Refusal('INVALID', 'The file is empty');
    requireReviewedRowsSize(size);
    return { id: fileId, dataSetId, ...into, fileName, size, hash, encoding };
  }

  async function fileView(
    x: Execution,
    { fileId, fileName, size, hash, head, ...received }: Upload,
  ): Promise<StagedFileView> {
    const fields = UploadFields.parse(received.fields);
    const dataSet = await dataSetFor(x, fields.dataSetId);
    const type = requireType((await x.load(kinds.referenceType, streams.referenceType(dataSet.typeId))).state);
    const encoding = fields.encoding ?? received.encoding;
    const detected = detect(
      utf8Transcoder(encoding)(head).toString('latin1'),
      head.length === size,
      activeFields(type),
      fields,
    );
    return { id: fileId, dataSetId: dataSet.id, fileName, size, hash, format: 'csv', encoding, ...detected };
  }

  return route(
    'post',
    '/api/imports',
    { level: 'WRITE' },
    {
      summary: 'Upload a file for an import',
      example: { body: { dataSetId: 1, file: 'code,name\nQO,Outlying Oceania\n' } },
      moreExamples: {
        'a draft': { body: { file: 'code,name\nQO,Outlying Oceania\n' } },
        'an upload that starts its import': {
          body: { dataSetId: 1, start: 'true', file: 'code,name\nQO,Outlying Oceania\n' },
        },
        'pasted contents': { body: { text: 'code,name\nQO,Outlying Oceania\n' } },
        'mappings of a crosswalk': { body: { crosswalkId: 1, file: 'sourceValue,targetValue\nAX,ALA\n' } },
        'values of a relationship': {
          body: { relationshipId: 1, file: 'sourceKey,targetKey\nEurope/Busingen,DE\n' },
        },
      },
      consumes: { 'multipart/form-data': UploadForm },
      answers: {
        200: UploadStarted,
        201: z.union([StagedFileView, StagedRowsView, ImportDraft]),
        202: UploadStarted,
      },
      errors: ['TOO_LARGE', 'EXCLUSIVE_IMPORT'],
      limit: 'stream',
    },
    (request) => slots.run(request.principal.userId, () => upload(request)),
  );
}

const hasNoTarget = ({ dataSetId, crosswalkId, relationshipId }: Omit<TargetFields, 'replaces'>): boolean =>
  dataSetId === undefined && crosswalkId === undefined && relationshipId === undefined;

/** The settings of an upload that starts its import; undefined for other uploads. */
function startSettings(fields: Readonly<Record<string, string>>): DraftSettings | undefined {
  const { start: starts, settings: requestedSettings = {} } = StartFields.parse(fields);
  if (starts !== 'true') return undefined;
  const { dataSetId } = TargetFields.parse(fields);
  const target = dataSetId === undefined ? {} : { target: { kind: 'dataSet', dataSetId } };
  const parts = Object.entries({ ...requestedSettings, ...target }).filter(([, value]) => value !== null);
  return DraftSettings.parse(Object.fromEntries(parts));
}

/** A hash of the file, the target and the settings without the description. */
const replayKeyOf = ({ hash }: Upload, { description: _, ...settings }: DraftSettings): string =>
  createHash('sha256')
    .update(`${hash}:${JSON.stringify(settings)}`)
    .digest('hex');

const isSameView = (uploaded: StagedView, stored: StagedView): boolean => {
  const comparable = ({ id: _, ...rest }: StagedView & Record<string, unknown>) =>
    JSON.stringify(Object.entries({ ...rest, suggestedColumns: {}, sample: [] }).sort());
  return comparable({ ...uploaded }) === comparable({ ...stored });
};

/**
 * Compares the files alone: the job changes the view of a file that it reads, and the command that starts the job
 * compares the target and the settings.
 */
const isSameFile = (uploaded: StagedView, stored: StagedView): boolean =>
  uploaded.hash === stored.hash && uploaded.size === stored.size && uploaded.fileName === stored.fileName;

/** Throws if the idempotency key was used for a different upload. */
function requireSame(uploaded: StagedView, stored: StagedView, isSame: typeof isSameView): StagedView {
  if (isSame(uploaded, stored)) return stored;
  throw new Refusal('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used for another request');
}
