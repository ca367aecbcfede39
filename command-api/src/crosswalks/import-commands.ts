/** Imports mappings from a staged file: a preview that writes nothing, and the job that drafts, edits and submits them. */
import {
  bucketOfKey,
  shown as cut,
  type ImportedMapping,
  type ImportMappings,
  type MappingImportPreview,
  mappingKey,
  requireNotTooManyRows,
  type StagedRowsView,
  streams,
} from '@rdm/contracts';
import { mappingReader, type NamedValue } from '@rdm/contracts/crosswalks/mapping-formats/index';
import { decideChunks, jsonBytes, toChunks } from '../bulk/row-chunks.ts';
import { jobIdOf, startJob } from '../bulk/start.ts';
import { outcomeOf, PreviewCollector } from '../file-imports/import-preview.ts';
import {
  decideInJob,
  inSlices,
  type RawRows,
  readText,
  reportUnreadable,
  requireStagedRows,
  unreadableRow,
  withRejectedRows,
} from '../file-imports/row-import.ts';
import { command } from '../runtime/commands.ts';
import type { Execution } from '../runtime/execution.ts';
import type { ImportedRowOutcome } from '../runtime/job-pieces.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { type Opened, openFor } from './crosswalk-access.ts';
import { startValues, submitWithValues } from './decider.ts';
import { besideEachOther, type ImportedPair, importMappings, type WantedMapping } from './mapping-import.ts';
import { textsGone, valuesHeld } from './targets.ts';

interface Asked {
  id: number;
  body: ImportMappings;
}

export const importFile = command<Asked>('ImportMappings', async (x, { id, body }) => {
  const opened = await openFor(x, id);
  const { crosswalk, governedBy } = opened;
  const file = await requireStagedRows(x, body.fileId, { crosswalkId: id });
  if (x.jobId === undefined) {
    return startJob(x, {
      of: { fileId: file.id },
      jobType: 'CROSSWALK_MAPPINGS_IMPORT',
      description: body.description ?? `Import into the mappings of ${crosswalk.value.name}`,
      dataSetIds: [crosswalk.value.sourceSystemId],
      governedBy,
      tried: 'Import',
      total: null,
    });
  }
  await jobIdOf(x);
  return withRejectedRows(
    x,
    file,
    () => rawRows(body.format),
    async () => {
      const { rows, unread } = await readFile(x, opened, file, body.format);
      x.setTotal(rows.length + unread.length);
      await reportUnreadable(x, unread);
      if (rows.length === 0) return {};
      const sequences = await x.allocate('mapping_ids', rows.length);
      const gone = body.submit ? await textsGone(x, crosswalk, targetsOf(rows)) : new Set<string>();
      await x.change(kinds.crosswalk, streams.crosswalk(id), governedBy, startValues);
      const wanted = await wantedByBucket(rows, (index) => sequences[index] as number);
      await decideChunks(x, wanted, (bucket, chunk) => {
        const stream = streams.mappings(id, bucket);
        return decideInJob(x, stream, async () => {
          // A job takes its time: who may write is asked anew for each of its pieces.
          const now = await openFor(x, id);
          return x.change(kinds.mappings, stream, now.governedBy, (state) =>
            importMappings(state, chunk, { ...body, by: now.by, gone }),
          );
        });
      });
      if (body.submit) {
        await x.change(kinds.crosswalk, streams.crosswalk(id), governedBy, (state) =>
          submitWithValues(state, opened.by),
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

/** What importing the file now would do. */
export async function preview(x: Execution, { id, body }: Asked): Promise<MappingImportPreview> {
  const opened = await openFor(x, id);
  const { crosswalk, by } = opened;
  const file = await requireStagedRows(x, body.fileId, { crosswalkId: id });
  const { rows, unread, format, remarks, unknown } = await readFile(x, opened, file, body.format, true);
  const gone = body.submit ? await textsGone(x, crosswalk, targetsOf(rows)) : new Set<string>();
  const previewed = new PreviewCollector<ImportedMapping>();
  for (const row of unread) previewed.add(shown(row));
  for (const { row, text } of unknown) previewed.remark(text, row);
  for (const [bucket, chunks] of await wantedByBucket(rows, (index) => index + 1)) {
    const { state } = await x.load(kinds.mappings, streams.mappings(id, bucket));
    const { result } = importMappings(state, chunks.flat(), { ...body, by, gone });
    for (const row of result) previewed.add(shown(row));
  }
  for (const { line, remarks: of } of rows) for (const text of of ?? []) previewed.remark(text, line);
  return { format, ...previewed.preview(remarks) };
}

function shown(row: ImportedPair): ImportedMapping {
  const { sourceValue = '', targetValue = '', confidence = '' } = row.data;
  const told = { row: row.line, outcome: outcomeOf(row), problems: row.problems, before: row.before ?? null };
  // One that is no number is told among the problems.
  const values = { sourceValue: cut(sourceValue), targetValue: cut(targetValue) };
  return { ...told, ...values, confidence: Number(confidence) || 0 };
}

/** A mapping of the file that is one, its values as the data sets have them. */
type Read = Pick<WantedMapping, 'line' | 'sourceValue' | 'targetValue' | 'confidence'> & { remarks?: string[] };

interface ReadFile {
  rows: Read[];
  unread: ImportedRowOutcome[];
  format: MappingImportPreview['format'];
  remarks: string[];
  /** Values that no row has: told where they were asked for. */
  unknown: { row: number; text: string }[];
}

/** Reads the file; `looking` looks every value up, rather than those alone that may be meant without their prefix. */
async function readFile(
  x: Execution,
  { crosswalk }: Opened,
  file: StagedRowsView,
  named: ImportMappings['format'],
  looking = false,
): Promise<ReadFile> {
  const reader = mappingReader(named);
  const read: { line: number; source: NamedValue; target: NamedValue; confidence: number; remarks: string[] }[] = [];
  const unread: ImportedRowOutcome[] = [];
  for await (const { text, last } of readText(x.pool, file)) {
    for await (const mapping of inSlices(reader.push(text, last))) {
      const { row: line, source, target, confidence, problems, remarks } = mapping;
      const [problem] = problems;
      if (!problem) read.push({ line, source, target, confidence, remarks });
      else {
        // One that is no number stays what it is: whoever mends the rest does not give it another.
        const written = problems.find(({ column }) => /confidence\)?$/i.test(column))?.value ?? String(confidence);
        const data = { sourceValue: source.value, targetValue: target.value, confidence: written };
        unread.push(unreadableRow(line, `${source.value} → ${target.value}`, data, problems));
      }
    }
    requireNotTooManyRows(read.length + unread.length);
  }
  const remarks = reader.remarks();
  const { sourceSystemId, sourceFieldId, targetSystemId, targetFieldId } = crosswalk.value;
  const sides = {
    source: { dataSetId: sourceSystemId, fieldId: sourceFieldId },
    target: { dataSetId: targetSystemId, fieldId: targetFieldId },
  };
  const held = async (end: 'source' | 'target') => {
    const isAsked = looking || read.some((row) => row[end].local !== undefined);
    return [...(await valuesHeld(x, sides[end], isAsked ? namesOf(read, end) : NONE))];
  };
  // The bucket of a mapping is told from its source value: in every run of a job that is the same.
  const found = await x.once(async () => ({ source: await held('source'), target: await held('target') }));
  const [sources, targets] = [new Set(found.source), new Set(found.target)];
  const rows: Read[] = [];
  for await (const { line, source, target, confidence, remarks: of } of inSlices(read)) {
    const row = { line, sourceValue: valueIn(sources, source), targetValue: valueIn(targets, target), confidence };
    rows.push(of.length === 0 ? row : { ...row, remarks: of });
  }
  const unknown = looking ? await unknownValues(x, sides, rows, { source: sources, target: targets }) : [];
  return { rows, unread, format: reader.format(), remarks, unknown };
}

const NONE: ReadonlySet<string> = new Set();

/** The values of a side that the file may mean, with and without their prefixes. */
const namesOf = (rows: readonly Record<'source' | 'target', NamedValue>[], end: 'source' | 'target'): Set<string> =>
  new Set(rows.flatMap(({ [end]: { value, local } }) => (local === undefined ? [value] : [value, local])));

/** As it stands in the file where a row has that, or where no row has either; else without its prefix. */
export const valueIn = (known: ReadonlySet<string>, { value, local }: NamedValue): string =>
  local !== undefined && !known.has(value) && known.has(local) ? local : value;

type Sides = Record<'source' | 'target', { dataSetId: number; fieldId: number }>;

async function unknownValues(
  x: Execution,
  sides: Sides,
  rows: readonly Read[],
  known: Record<'source' | 'target', ReadonlySet<string>>,
): Promise<ReadFile['unknown']> {
  const words = async (end: 'source' | 'target') => {
    const { state: dataSet } = await x.load(kinds.dataSet, streams.dataSet(sides[end].dataSetId));
    const type = dataSet && (await x.load(kinds.referenceType, streams.referenceType(dataSet.typeId))).state;
    const field = type?.fields.find(({ fieldId }) => fieldId === sides[end].fieldId);
    return `No row of ${dataSet?.name} has this ${field?.name}`;
  };
  const told = { source: await words('source'), target: await words('target') };
  const unknown: ReadFile['unknown'] = [];
  for (const { line, sourceValue, targetValue } of rows) {
    if (!known.source.has(sourceValue)) unknown.push({ row: line, text: told.source });
    if (!known.target.has(targetValue)) unknown.push({ row: line, text: told.target });
  }
  return unknown;
}

const targetsOf = (rows: readonly Read[]): Set<string> => new Set(rows.map(({ targetValue }) => targetValue));

/** By the buckets that their source values name, in chunks of one append; a bucket knows which of its pairs repeat. */
async function wantedByBucket(
  rows: readonly Read[],
  sequenceOf: (index: number) => number,
): Promise<Map<number, WantedMapping[][]>> {
  const byBucket = new Map<number, Omit<WantedMapping, 'isOnly'>[]>();
  let index = 0;
  for await (const { line, sourceValue, targetValue, confidence } of inSlices(rows)) {
    const bucket = bucketOfKey(mappingKey(sourceValue));
    const row = { line, sourceValue, targetValue, confidence, sequence: sequenceOf(index++) };
    const ofBucket = byBucket.get(bucket);
    if (ofBucket) ofBucket.push(row);
    else byBucket.set(bucket, [row]);
  }
  const chunks = new Map<number, WantedMapping[][]>();
  for await (const [bucket, ofBucket] of inSlices(byBucket)) {
    chunks.set(bucket, toChunks(besideEachOther(ofBucket), () => bucket, jsonBytes).get(bucket) ?? []);
  }
  return chunks;
}
