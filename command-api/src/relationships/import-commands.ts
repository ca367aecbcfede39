/**
 * Imports relationship values from a staged file: a preview without changes, and a job that drafts, edits and submits
 * them.
 */
import {
  activeAttributes,
  bucketOfKey,
  type Cardinality,
  displayedCell,
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
  shortened,
  streams,
  usesOf,
  type ValueImportPreview,
  type ValueLayout,
  valueReader,
} from '@rdm/contracts';
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
import { lockRules } from './decider.ts';
import { type RelationshipAccess, requireRelationship, valueRules } from './definitions.ts';
import { cardinalityMessage, idsOfKeys, loadPairKeys, type Side, sideOf, unknownKeyMessage } from './ends.ts';
import {
  dataOf,
  type FileValue,
  type ImportedPair,
  type ImportOptions,
  importValues,
  markRepeats,
  readAttributes,
} from './value-import.ts';

interface ImportRequest {
  id: number;
  body: ImportRelationshipValues;
}

export const importFile = command<ImportRequest>('ImportRelationshipValues', async (x, { id, body }) => {
  const { relationship, governedBy } = await requireRelationship(x, id);
  const file = await requireStagedRows(x, body.fileId, { relationshipId: id });
  if (x.jobId === undefined) {
    const description = body.description ?? `Import into the values of ${relationship.value.name}`;
    return startImportJob(x, file, 'RELATIONSHIP_VALUES_IMPORT', description, governedBy);
  }
  await allocateJobId(x);
  let layout: ValueLayout | undefined;
  return withRejectedRows(
    x,
    file,
    () => rawRows(body.format, () => layout),
    async () => {
      const read = await readFile(x, relationship, file, body);
      layout = read.layout;
      x.setTotal(read.rows.length + read.refused.length);
      await reportRefused(x, read.refused);
      if (read.rows.length === 0) return {};
      const sequences = await x.allocate('relationship_value_ids', read.rows.length);
      let lockedRelationship: Promise<Relationship> | undefined;
      /**
       * Locks the rules once, before the first piece that writes a value. So a file without valid values does not lock
       * the rules.
       */
      const lockRulesOnce = () => {
        lockedRelationship ??= x.change(kinds.relationship, streams.relationship(id), governedBy, lockRules);
        return lockedRelationship;
      };
      const chunks = await toChunks(read, (index) => sequences[index] as number);
      await decideChunks(x, chunks, (bucket, chunk) => {
        const stream = streams.relationshipValues(id, bucket);
        return decideInJob(x, stream, async () => {
          // A job takes long: check permissions and rules again for each piece.
          let current = await requireRelationship(x, id);
          const decide = (state: Parameters<typeof importValues>[0]) =>
            importValues(state, chunk, optionsOf(current, read, body));
          if (!current.relationship.hasValues) {
            const { state } = await x.load(kinds.relationshipValues, stream);
            if (decide(state).events.length > 0) current = { ...current, relationship: await lockRulesOnce() };
          }
          requireSameCardinality(current.relationship, read);
          const decided = await x.change(kinds.relationshipValues, stream, current.governedBy, decide);
          return withConflictMessages(x, current.relationship, decided);
        });
      });
      return {};
    },
  );
});

/**
 * `currentLayout` returns undefined until the file has been read. The layout shows whether the first row is a header.
 */
function rawRows(format: ImportRelationshipValues['format'], currentLayout: () => ValueLayout | undefined): RawRows {
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
      const layout = currentLayout();
      if (delimiter === undefined || !layout) return undefined;
      const header = layout.isNamed ? (first ?? '') : delimiter.repeat(layout.columns.length - 1);
      return { delimiter, metadata: '', header };
    },
  };
}

/** Previews the import of the file. */
export async function preview(x: Execution, { id, body }: ImportRequest): Promise<ValueImportPreview> {
  const access = await requireRelationship(x, id);
  const { relationship } = access;
  const file = await requireStagedRows(x, body.fileId, { relationshipId: id });
  const read = await readFile(x, relationship, file, body);
  const { layout, format, examples } = read;
  const previewed = new PreviewCollector<ImportedValue>();
  for (const row of read.refused) previewed.add(toView(row, relationship));
  for await (const [bucket, chunks] of inSlices(await toChunks(read, (index) => index + 1))) {
    const { state } = await x.load(kinds.relationshipValues, streams.relationshipValues(id, bucket));
    const { result } = importValues(state, chunks.flat(), optionsOf(access, read, body));
    const rows = await withConflictMessages(x, relationship, result);
    for (const row of rows) previewed.add(toView(row, relationship));
  }
  return {
    format,
    isNamed: layout.isNamed,
    columns: layout.columns.map((name, index) => ({ name, example: examples[index] ?? '' })),
    uses: usesOf(layout),
    ...previewed.preview(layoutRemarks(layout)),
  };
}

const optionsOf = (
  { relationship, by }: RelationshipAccess,
  { format }: ReadFile,
  { submit }: ImportRequest['body'],
): ImportOptions => ({
  rules: valueRules(relationship),
  attributes: activeAttributes(relationship),
  format,
  submit,
  by,
});

/** The cardinality determines the bucket of a value, and can change until the first value is written. */
function requireSameCardinality({ value }: Relationship, read: ReadFile): void {
  if (value.cardinality === read.cardinality) return;
  throw new Refusal('CONFLICT', 'The cardinality was changed meanwhile: import the file again');
}

/** Adds messages that quote both values of a cardinality conflict. */
async function withConflictMessages(
  x: Execution,
  { value }: Relationship,
  outcomes: ImportedPair[],
): Promise<ImportedPair[]> {
  const conflicts = outcomes.flatMap(({ conflict }) => (conflict ? [conflict.requested, conflict.held] : []));
  if (conflicts.length === 0) return outcomes;
  const pairKeysOf = await loadPairKeys(x, value, conflicts);
  return outcomes.map(({ conflict, ...row }) => {
    if (!conflict) return row;
    const message = cardinalityMessage(value.cardinality, pairKeysOf(conflict.requested), pairKeysOf(conflict.held));
    return { ...row, message, problems: row.problems.map((problem) => ({ ...problem, rule: message })) };
  });
}

function toView(row: ImportedPair, relationship: Relationship): ImportedValue {
  const { sourceKey = '', targetKey = '', ...attributes } = row.data;
  const common = { row: row.line, outcome: outcomeOf(row), problems: row.problems };
  const before =
    row.before &&
    Object.fromEntries(
      activeAttributes(relationship)
        .filter(({ name }) => name in attributes)
        .map(({ attributeId, name }) => [name, row.before?.[attributeId] ?? null]),
    );
  const shortenedAttributes = Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, shortened(value)]),
  );
  return {
    ...common,
    sourceKey: shortened(sourceKey),
    targetKey: shortened(targetKey),
    attributes: shortenedAttributes,
    before: before ?? null,
  };
}

interface ReadFile {
  rows: Omit<FileValue, 'sequence'>[];
  /** The rows that cannot be read, and those with an unknown key. */
  refused: ImportedRowOutcome[];
  format: ImportOptions['format'];
  layout: ValueLayout;
  cardinality: Cardinality;
  /** The first value of each column. */
  examples: string[];
}

/**
 * Reads the file. The layout, the row ids and the cardinality are looked up once per job, so that its pieces are the
 * same in every run.
 */
async function readFile(
  x: Execution,
  relationship: Relationship,
  file: StagedRowsView,
  request: ImportRelationshipValues,
): Promise<ReadFile> {
  const reader = valueReader(request.format);
  const lines: FileRow[] = [];
  for await (const { text, last } of readText(x.pool, file)) {
    for await (const row of inSlices(reader.push(text, last))) lines.push(row);
    // The first row may be a header.
    requireNotTooManyRows(lines.length - 1);
  }
  const { sourceDataSetId, targetDataSetId, cardinality } = relationship.value;
  const [source, target] = [await sideOf(x, sourceDataSetId), await sideOf(x, targetDataSetId)];
  let values: ReadValue[] | undefined;
  const lookup = await x.once(async () => {
    const layout = layoutOf(reader, lines[0], request, knownNames(relationship, source, target));
    values = await valuesOf(lines, reader, layout);
    return {
      layout,
      cardinality,
      sources: await idsOfKeys(x, source, keysOf(values, 'sourceKey')),
      targets: await idsOfKeys(x, target, keysOf(values, 'targetKey')),
    };
  });
  values ??= await valuesOf(lines, reader, lookup.layout);
  const idsBy = (end: 'sourceKey' | 'targetKey', ids: readonly (number | null)[]) =>
    new Map(keysOf(values ?? [], end).map((key, index) => [key, ids[index] ?? null]));
  const [sources, targets] = [idsBy('sourceKey', lookup.sources), idsBy('targetKey', lookup.targets)];
  const read: Pick<ReadFile, 'rows' | 'refused'> = { rows: [], refused: [] };
  for await (const { problems, ...value } of inSlices(values)) {
    const { line, sourceKey, targetKey } = value;
    const [sourceInstanceId, targetInstanceId] = [sources.get(sourceKey) ?? null, targets.get(targetKey) ?? null];
    if (problems.length === 0 && sourceInstanceId !== null && targetInstanceId !== null) {
      read.rows.push({ ...value, sourceInstanceId, targetInstanceId });
      continue;
    }
    const unknownEnds = [
      ...(sourceInstanceId === null ? [unknownKeyProblem('sourceKey', source, sourceKey)] : []),
      ...(targetInstanceId === null ? [unknownKeyProblem('targetKey', target, targetKey)] : []),
    ];
    // The keys of a row with problems were not looked up: do not report them as unknown.
    const wrong = [
      ...(problems.length > 0 ? problems : unknownEnds),
      // If a problem concerns the whole row, its cells are not checked.
      ...(problems.some(({ column }) => column === '')
        ? []
        : readAttributes(value.cells, activeAttributes(relationship), reader.format()).problems),
    ];
    const data = dataOf(value, lookup.layout.attributes);
    read.refused.push(refusedRow(line, `${sourceKey} → ${targetKey}`, data, wrong));
  }
  const first = lines[lookup.layout.isNamed && reader.format() === 'csv' ? 1 : 0]?.cells ?? [];
  const examples = first.map((cell) => displayedCell(cell).slice(0, EXAMPLE_CHARACTERS));
  return { ...read, format: reader.format(), layout: lookup.layout, cardinality: lookup.cardinality, examples };
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

/** The distinct keys of an end in the rows without problems, in the order of the file. */
const keysOf = (values: readonly ReadValue[], end: 'sourceKey' | 'targetKey'): string[] => [
  ...new Set(values.filter(({ problems }) => problems.length === 0).map(({ [end]: key }) => key)),
];

const unknownKeyProblem = (column: string, side: Side, key: string): ImportProblem => ({
  column,
  value: key.length > EXAMPLE_CHARACTERS ? `${key.slice(0, EXAMPLE_CHARACTERS)}…` : key,
  rule: unknownKeyMessage(side, key),
  fix: 'Write the key of an existing row, or add the row first',
});

const toChunks = ({ rows, cardinality }: ReadFile, sequenceOf: (index: number) => number) =>
  chunksByBucket(
    rows,
    (row, index): FileValue => ({ ...row, sequence: sequenceOf(index) }),
    (row) => bucketOfKey(relationshipValueKey(cardinality, row)),
    markRepeats,
  );
