/** Imports mappings from a staged file: a preview without changes, and a job that drafts, edits and submits them. */
import {
  bucketOfKey,
  type ImportedMapping,
  type ImportMappings,
  type MappingImportPreview,
  mappingKey,
  requireNotTooManyRows,
  type StagedRowsView,
  shortened,
  streams,
} from '@rdm/contracts';
import { mappingReader, type NamedValue } from '@rdm/contracts/crosswalks/mapping-formats/index';
import { decideChunks } from '../bulk/row-chunks.ts';
import { allocateJobId } from '../bulk/start.ts';
import { outcomeOf, PreviewCollector } from '../file-imports/import-preview.ts';
import {
  chunksByBucket,
  decideInJob,
  inSlices,
  type RawRows,
  readText,
  refusedRow,
  reportRefused,
  requireStagedRows,
  startImportJob,
  withRejectedRows,
} from '../file-imports/row-import.ts';
import { command } from '../runtime/commands.ts';
import type { Execution } from '../runtime/execution.ts';
import type { ImportedRowOutcome } from '../runtime/job-pieces.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { type CrosswalkAccess, requireCrosswalk } from './crosswalk-access.ts';
import { lockAttributes, submitWithValues } from './decider.ts';
import { type FileMapping, type ImportedPair, importMappings, markRepeats } from './mapping-import.ts';
import { existingValues, findDeletedTargets } from './targets.ts';

interface ImportRequest {
  id: number;
  body: ImportMappings;
}

export const importFile = command<ImportRequest>('ImportMappings', async (x, { id, body }) => {
  const access = await requireCrosswalk(x, id);
  const { crosswalk, governedBy } = access;
  const file = await requireStagedRows(x, body.fileId, { crosswalkId: id });
  if (x.jobId === undefined) {
    const description = body.description ?? `Import into the mappings of ${crosswalk.value.name}`;
    return startImportJob(x, file, 'CROSSWALK_MAPPINGS_IMPORT', description, governedBy);
  }
  await allocateJobId(x);
  return withRejectedRows(
    x,
    file,
    () => rawRows(body.format),
    async () => {
      const { rows, refused } = await readFile(x, access, file, body.format);
      x.setTotal(rows.length + refused.length);
      await reportRefused(x, refused);
      if (rows.length === 0) return {};
      const sequences = await x.allocate('mapping_ids', rows.length);
      const deletedTargets = body.submit ? await findDeletedTargets(x, crosswalk, targetsOf(rows)) : new Set<string>();
      await x.change(kinds.crosswalk, streams.crosswalk(id), governedBy, lockAttributes);
      const chunks = await toChunks(rows, (index) => sequences[index] as number);
      await decideChunks(x, chunks, (bucket, chunk) => {
        const stream = streams.mappings(id, bucket);
        return decideInJob(x, stream, async () => {
          // A job takes long: check the permissions again for each piece.
          const current = await requireCrosswalk(x, id);
          return x.change(kinds.mappings, stream, current.governedBy, (state) =>
            importMappings(state, chunk, { ...body, by: current.by, deletedTargets }),
          );
        });
      });
      if (body.submit) {
        await x.change(kinds.crosswalk, streams.crosswalk(id), governedBy, (state) =>
          submitWithValues(state, access.by),
        );
      }
      return {};
    },
  );
});

function rawRows(format: ImportMappings['format']): RawRows {
  const reader = mappingReader(format);
  return {
    *push(text, last) {
      for (const { row: line, raw } of reader.push(text, last)) yield raw ? { line, raw } : { line };
    },
    head: () => reader.head(),
  };
}

export async function preview(x: Execution, { id, body }: ImportRequest): Promise<MappingImportPreview> {
  const access = await requireCrosswalk(x, id);
  const { crosswalk, by } = access;
  const file = await requireStagedRows(x, body.fileId, { crosswalkId: id });
  const { rows, refused, format, remarks, unknown } = await readFile(x, access, file, body.format, true);
  const deletedTargets = body.submit ? await findDeletedTargets(x, crosswalk, targetsOf(rows)) : new Set<string>();
  const previewed = new PreviewCollector<ImportedMapping>();
  for (const row of refused) previewed.add(toView(row));
  for (const { row, text } of unknown) previewed.remark(text, row);
  for (const [bucket, chunks] of await toChunks(rows, (index) => index + 1)) {
    const { state } = await x.load(kinds.mappings, streams.mappings(id, bucket));
    const { result } = importMappings(state, chunks.flat(), { ...body, by, deletedTargets });
    for (const row of result) previewed.add(toView(row));
  }
  for (const { line, remarks: rowRemarks } of rows) for (const text of rowRemarks ?? []) previewed.remark(text, line);
  return { format, ...previewed.preview(remarks) };
}

function toView(row: ImportedPair): ImportedMapping {
  const { sourceValue = '', targetValue = '', confidence = '' } = row.data;
  const common = { row: row.line, outcome: outcomeOf(row), problems: row.problems, before: row.before ?? null };
  const values = { sourceValue: shortened(sourceValue), targetValue: shortened(targetValue) };
  // A confidence that is not a number is shown as 0, and the problems contain its text.
  return { ...common, ...values, confidence: Number(confidence) || 0 };
}

/** A mapping of the file. A value has no prefix if the data set contains the value only without the prefix. */
type ReadMapping = Pick<FileMapping, 'line' | 'sourceValue' | 'targetValue' | 'confidence'> & { remarks?: string[] };

interface ReadFile {
  rows: ReadMapping[];
  /** The rows that cannot be read. */
  refused: ImportedRowOutcome[];
  format: MappingImportPreview['format'];
  remarks: string[];
  /** For a preview: a remark for each value that its data set does not have. `row` is the line of the mapping. */
  unknown: { row: number; text: string }[];
}

/** Reads the file. Looks up the values of an end in its data set if `lookUpAll` is set or a value has a prefix. */
async function readFile(
  x: Execution,
  { crosswalk }: CrosswalkAccess,
  file: StagedRowsView,
  requestedFormat: ImportMappings['format'],
  lookUpAll = false,
): Promise<ReadFile> {
  const reader = mappingReader(requestedFormat);
  const read: { line: number; source: NamedValue; target: NamedValue; confidence: number; remarks: string[] }[] = [];
  const refused: ImportedRowOutcome[] = [];
  for await (const { text, last } of readText(x.pool, file)) {
    for await (const mapping of inSlices(reader.push(text, last))) {
      const { row: line, source, target, confidence, problems, remarks } = mapping;
      const [problem] = problems;
      if (!problem) read.push({ line, source, target, confidence, remarks });
      else {
        // A confidence that is not a number is kept as text, so that the user can correct it in the file of rejected
        // rows.
        const confidenceText =
          problems.find(({ column }) => /confidence\)?$/i.test(column))?.value ?? String(confidence);
        const data = { sourceValue: source.value, targetValue: target.value, confidence: confidenceText };
        refused.push(refusedRow(line, `${source.value} → ${target.value}`, data, problems));
      }
    }
    requireNotTooManyRows(read.length + refused.length);
  }
  const remarks = reader.remarks();
  const { sourceSystemId, sourceFieldId, targetSystemId, targetFieldId } = crosswalk.value;
  const ends = {
    source: { dataSetId: sourceSystemId, fieldId: sourceFieldId },
    target: { dataSetId: targetSystemId, fieldId: targetFieldId },
  };
  const existingOf = async (end: 'source' | 'target') => {
    const isNeeded = lookUpAll || read.some((row) => row[end].local !== undefined);
    return [...(await existingValues(x, ends[end], isNeeded ? spellingsOf(read, end) : NONE))];
  };
  // The source value determines the bucket, so all runs of a job must use the same lookup.
  const existing = await x.once(async () => ({
    source: await existingOf('source'),
    target: await existingOf('target'),
  }));
  const [sources, targets] = [new Set(existing.source), new Set(existing.target)];
  const rows: ReadMapping[] = [];
  for await (const { line, source, target, confidence, remarks: rowRemarks } of inSlices(read)) {
    const row = { line, sourceValue: valueIn(sources, source), targetValue: valueIn(targets, target), confidence };
    rows.push(rowRemarks.length === 0 ? row : { ...row, remarks: rowRemarks });
  }
  const unknown = lookUpAll ? await unknownValues(x, ends, rows, { source: sources, target: targets }) : [];
  return { rows, refused, format: reader.format(), remarks, unknown };
}

const NONE: ReadonlySet<string> = new Set();

/** The values of an end in the file, with and without their prefixes. */
const spellingsOf = (rows: readonly Record<'source' | 'target', NamedValue>[], end: 'source' | 'target'): Set<string> =>
  new Set(rows.flatMap(({ [end]: { value, local } }) => (local === undefined ? [value] : [value, local])));

/** Returns the value without its prefix if the value exists only in this form; otherwise returns it unchanged. */
export const valueIn = (existing: ReadonlySet<string>, { value, local }: NamedValue): string =>
  local !== undefined && !existing.has(value) && existing.has(local) ? local : value;

type Ends = Record<'source' | 'target', { dataSetId: number; fieldId: number }>;

async function unknownValues(
  x: Execution,
  ends: Ends,
  rows: readonly ReadMapping[],
  existing: Record<'source' | 'target', ReadonlySet<string>>,
): Promise<ReadFile['unknown']> {
  const messageOf = async (end: 'source' | 'target') => {
    const { state: dataSet } = await x.load(kinds.dataSet, streams.dataSet(ends[end].dataSetId));
    const type = dataSet && (await x.load(kinds.referenceType, streams.referenceType(dataSet.typeId))).state;
    const field = type?.fields.find(({ fieldId }) => fieldId === ends[end].fieldId);
    return `No row of ${dataSet?.name} has this ${field?.name}`;
  };
  const messages = { source: await messageOf('source'), target: await messageOf('target') };
  const unknown: ReadFile['unknown'] = [];
  for (const { line, sourceValue, targetValue } of rows) {
    if (!existing.source.has(sourceValue)) unknown.push({ row: line, text: messages.source });
    if (!existing.target.has(targetValue)) unknown.push({ row: line, text: messages.target });
  }
  return unknown;
}

const targetsOf = (rows: readonly ReadMapping[]): Set<string> => new Set(rows.map(({ targetValue }) => targetValue));

const toChunks = (rows: readonly ReadMapping[], sequenceOf: (index: number) => number) =>
  chunksByBucket(
    rows,
    ({ line, sourceValue, targetValue, confidence }, index) => ({
      line,
      sourceValue,
      targetValue,
      confidence,
      sequence: sequenceOf(index),
    }),
    ({ sourceValue }) => bucketOfKey(mappingKey(sourceValue)),
    markRepeats,
  );
