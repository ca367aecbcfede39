/** Imports relationship values from a staged file: a preview that writes nothing, and the job that drafts, edits and submits. */
import {
  activeAttributes,
  bucketOfKey,
  type Cardinality,
  shown as cut,
  type FileReader,
  type FileRow,
  type ImportedValue,
  type ImportProblem,
  type ImportRelationshipValues,
  type KnownNames,
  layoutOf,
  layoutRemarks,
  type ReadValue,
  Refusal,
  type Relationship,
  readValue,
  relationshipValueKey,
  requireNotTooManyRows,
  type StagedRowsView,
  shownCell,
  streams,
  usesOf,
  type ValueImportPreview,
  type ValueLayout,
  valueReader,
} from '@rdm/contracts';
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
import { startValues } from './decider.ts';
import { type Opened, openFor, valueRules } from './definitions.ts';
import { cardinalityViolation, idsOfKeys, pairsCalled, type Side, sideOf, unknownKey } from './ends.ts';
import {
  besideEachOther,
  dataOf,
  type ImportedPair,
  type ImportingValues,
  importValues,
  readAttributes,
  type WantedValue,
} from './value-import.ts';

interface Asked {
  id: number;
  body: ImportRelationshipValues;
}

export const importFile = command<Asked>('ImportRelationshipValues', async (x, { id, body }) => {
  const { relationship, governedBy } = await openFor(x, id);
  const file = await requireStagedRows(x, body.fileId, { relationshipId: id });
  if (x.jobId === undefined) {
    return startJob(x, {
      of: { fileId: file.id },
      jobType: 'RELATIONSHIP_VALUES_IMPORT',
      description: body.description ?? `Import into the values of ${relationship.value.name}`,
      dataSetIds: [relationship.value.sourceDataSetId],
      governedBy,
      tried: 'Import',
      total: null,
    });
  }
  await jobIdOf(x);
  let layout: ValueLayout | undefined;
  return withRejectedRows(
    x,
    file,
    () => rawRows(body.format, () => layout),
    async () => {
      const read = await readFile(x, relationship, file, body);
      layout = read.layout;
      x.setTotal(read.rows.length + read.unread.length);
      await reportUnreadable(x, read.unread);
      if (read.rows.length === 0) return {};
      const sequences = await x.allocate('relationship_value_ids', read.rows.length);
      /** What no rule lets stand does not lock the rules: they are locked by the first piece that writes, once. */
      let started: Promise<Relationship> | undefined;
      const start = () => {
        started ??= x.change(kinds.relationship, streams.relationship(id), governedBy, startValues);
        return started;
      };
      const wanted = await wantedByBucket(read, (index) => sequences[index] as number);
      await decideChunks(x, wanted, (bucket, chunk) => {
        const stream = streams.relationshipValues(id, bucket);
        return decideInJob(x, stream, async () => {
          // A job takes its time: who may write, and what the rules are, is asked anew for each of its pieces.
          let now = await openFor(x, id);
          const decide = (state: Parameters<typeof importValues>[0]) =>
            importValues(state, chunk, asItIs(now, read, body));
          if (!now.relationship.hasValues) {
            const { state } = await x.load(kinds.relationshipValues, stream);
            if (decide(state).events.length > 0) now = { ...now, relationship: await start() };
          }
          requireSameRules(now.relationship, read);
          const decided = await x.change(kinds.relationshipValues, stream, now.governedBy, decide);
          return worded(x, now.relationship, decided);
        });
      });
      return {};
    },
  );
});

/** Whether the first row names the columns is known once the file was read for the first time. */
function rawRows(format: ImportRelationshipValues['format'], layoutOnceRead: () => ValueLayout | undefined): RawRows {
  const reader = valueReader(format);
  let first: string | undefined;
  return {
    *push(text, last) {
      for (const { line, raw } of reader.push(text, last)) {
        first ??= raw?.text;
        yield raw ? { line, raw } : { line };
      }
    },
    head() {
      const delimiter = reader.delimiter();
      const layout = layoutOnceRead();
      if (delimiter === undefined || !layout) return undefined;
      const header = layout.isNamed ? (first ?? '') : delimiter.repeat(layout.columns.length - 1);
      return { delimiter, metadata: '', header };
    },
  };
}

/** What importing the file now would do. */
export async function preview(x: Execution, { id, body }: Asked): Promise<ValueImportPreview> {
  const opened = await openFor(x, id);
  const { relationship } = opened;
  const file = await requireStagedRows(x, body.fileId, { relationshipId: id });
  const read = await readFile(x, relationship, file, body);
  const { layout, format, examples } = read;
  const previewed = new PreviewCollector<ImportedValue>();
  for (const row of read.unread) previewed.add(shown(row, relationship));
  for await (const [bucket, chunks] of inSlices(await wantedByBucket(read, (index) => index + 1))) {
    const { state } = await x.load(kinds.relationshipValues, streams.relationshipValues(id, bucket));
    const { result } = importValues(state, chunks.flat(), asItIs(opened, read, body));
    const told = await worded(x, relationship, result);
    for (const row of told) previewed.add(shown(row, relationship));
  }
  return {
    format,
    isNamed: layout.isNamed,
    columns: layout.columns.map((name, index) => ({ name, example: examples[index] ?? '' })),
    uses: usesOf(layout),
    ...previewed.preview(layoutRemarks(layout)),
  };
}

const asItIs = ({ relationship, by }: Opened, { format }: ReadFile, { submit }: Asked['body']): ImportingValues => ({
  rules: valueRules(relationship),
  attributes: activeAttributes(relationship),
  format,
  submit,
  by,
});

/** The cardinality tells which bucket a value is of: until the first value it may be changed. */
function requireSameRules({ value }: Relationship, read: ReadFile): void {
  if (value.cardinality === read.cardinality) return;
  throw new Refusal('CONFLICT', 'The cardinality was changed meanwhile: import the file again');
}

/** In words that quote both values where one cannot stand beside the other. */
async function worded(x: Execution, { value }: Relationship, outcomes: ImportedPair[]): Promise<ImportedPair[]> {
  const conflicts = outcomes.flatMap(({ conflict }) => (conflict ? [conflict.asked, conflict.held] : []));
  if (conflicts.length === 0) return outcomes;
  const called = await pairsCalled(x, value, conflicts);
  return outcomes.map(({ conflict, ...row }) => {
    if (!conflict) return row;
    const message = cardinalityViolation(value.cardinality, called(conflict.asked), called(conflict.held));
    return { ...row, message, problems: row.problems.map((problem) => ({ ...problem, rule: message })) };
  });
}

function shown(row: ImportedPair, relationship: Relationship): ImportedValue {
  const { sourceKey = '', targetKey = '', ...attributes } = row.data;
  const told = { row: row.line, outcome: outcomeOf(row), problems: row.problems };
  const before =
    row.before &&
    Object.fromEntries(
      activeAttributes(relationship)
        .filter(({ name }) => name in attributes)
        .map(({ attributeId, name }) => [name, row.before?.[attributeId] ?? null]),
    );
  const cutAttributes = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, cut(value)]));
  return {
    ...told,
    sourceKey: cut(sourceKey),
    targetKey: cut(targetKey),
    attributes: cutAttributes,
    before: before ?? null,
  };
}

interface ReadFile {
  rows: Omit<WantedValue, 'sequence'>[];
  unread: ImportedRowOutcome[];
  format: ImportingValues['format'];
  layout: ValueLayout;
  cardinality: Cardinality;
  /** The first thing that each column says. */
  examples: string[];
}

/**
 * Reads the file. Which columns hold what, the rows that are named and the rules that buckets are told by are looked up
 * once: in every run of a job the pieces are the same.
 */
async function readFile(
  x: Execution,
  relationship: Relationship,
  file: StagedRowsView,
  asked: ImportRelationshipValues,
): Promise<ReadFile> {
  const reader = valueReader(asked.format);
  const lines: FileRow[] = [];
  for await (const { text, last } of readText(x.pool, file)) {
    for await (const row of inSlices(reader.push(text, last))) lines.push(row);
    // The first of them may name the columns.
    requireNotTooManyRows(lines.length - 1);
  }
  const { sourceDataSetId, targetDataSetId, cardinality } = relationship.value;
  const [source, target] = [await sideOf(x, sourceDataSetId), await sideOf(x, targetDataSetId)];
  let values: ReadValue[] | undefined;
  const found = await x.once(async () => {
    const layout = layoutOf(reader, lines[0], asked, knownNames(relationship, source, target));
    values = await valuesOf(lines, reader, layout);
    return {
      layout,
      cardinality,
      sources: await idsOfKeys(x, source, keysOf(values, 'sourceKey')),
      targets: await idsOfKeys(x, target, keysOf(values, 'targetKey')),
    };
  });
  values ??= await valuesOf(lines, reader, found.layout);
  const idsBy = (end: 'sourceKey' | 'targetKey', ids: readonly (number | null)[]) =>
    new Map(keysOf(values ?? [], end).map((key, index) => [key, ids[index] ?? null]));
  const [sources, targets] = [idsBy('sourceKey', found.sources), idsBy('targetKey', found.targets)];
  const read: Pick<ReadFile, 'rows' | 'unread'> = { rows: [], unread: [] };
  for await (const { problems, ...value } of inSlices(values)) {
    const { line, sourceKey, targetKey } = value;
    const [sourceInstanceId, targetInstanceId] = [sources.get(sourceKey) ?? null, targets.get(targetKey) ?? null];
    if (problems.length === 0 && sourceInstanceId !== null && targetInstanceId !== null) {
      read.rows.push({ ...value, sourceInstanceId, targetInstanceId });
      continue;
    }
    const unknownEnds = [
      ...(sourceInstanceId === null ? [unknown('sourceKey', source, sourceKey)] : []),
      ...(targetInstanceId === null ? [unknown('targetKey', target, targetKey)] : []),
    ];
    // A key that could not be read was not looked for.
    const wrong = [
      ...(problems.length > 0 ? problems : unknownEnds),
      // Where it cannot be told what stands in which column, no cell is looked at.
      ...(problems.some(({ column }) => column === '')
        ? []
        : readAttributes(value.cells, activeAttributes(relationship), reader.format()).problems),
    ];
    const data = dataOf(value, found.layout.attributes);
    read.unread.push(unreadableRow(line, `${sourceKey} → ${targetKey}`, data, wrong));
  }
  const first = lines[found.layout.isNamed && reader.format() === 'csv' ? 1 : 0]?.cells ?? [];
  const examples = first.map((cell) => shownCell(cell).slice(0, EXAMPLE_CHARACTERS));
  return { ...read, format: reader.format(), layout: found.layout, cardinality: found.cardinality, examples };
}

const EXAMPLE_CHARACTERS = 100;

function knownNames({ value, attributes }: Relationship, source: Side, target: Side): KnownNames {
  const end = ({ dataSet, type }: Side, fieldId: number) => ({
    name: dataSet.name,
    field: type.fields.find((field) => field.fieldId === fieldId)?.name ?? '',
  });
  return {
    source: end(source, value.sourceFieldId),
    target: end(target, value.targetFieldId),
    attributes: activeAttributes({ attributes }),
  };
}

async function valuesOf(lines: readonly FileRow[], reader: FileReader, layout: ValueLayout): Promise<ReadValue[]> {
  const values: ReadValue[] = [];
  const format = reader.format();
  for await (const line of inSlices(lines)) values.push(readValue(layout, format, line));
  return layout.isNamed && format === 'csv' ? values.slice(1) : values;
}

/** The keys of an end that rows can be looked for by, each once, in the order of the file. */
const keysOf = (values: readonly ReadValue[], end: 'sourceKey' | 'targetKey'): string[] => [
  ...new Set(values.filter(({ problems }) => problems.length === 0).map(({ [end]: key }) => key)),
];

const unknown = (column: string, side: Side, key: string): ImportProblem => ({
  column,
  value: key.length > EXAMPLE_CHARACTERS ? `${key.slice(0, EXAMPLE_CHARACTERS)}…` : key,
  rule: unknownKey(side, key),
  fix: 'Write the key of a row that is there, or add that row first',
});

/** By the buckets that the cardinality names, in chunks of one append; a bucket knows which of its pairs repeat. */
async function wantedByBucket(
  { rows, cardinality }: ReadFile,
  sequenceOf: (index: number) => number,
): Promise<Map<number, WantedValue[][]>> {
  const byBucket = new Map<number, WantedValue[]>();
  let index = 0;
  for await (const row of inSlices(rows)) {
    const bucket = bucketOfKey(relationshipValueKey(cardinality, row));
    const value = { ...row, sequence: sequenceOf(index++) };
    const ofBucket = byBucket.get(bucket);
    if (ofBucket) ofBucket.push(value);
    else byBucket.set(bucket, [value]);
  }
  const chunks = new Map<number, WantedValue[][]>();
  for await (const [bucket, ofBucket] of inSlices(byBucket)) {
    chunks.set(bucket, toChunks(besideEachOther(ofBucket), () => bucket, jsonBytes).get(bucket) ?? []);
  }
  return chunks;
}
