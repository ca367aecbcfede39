/** Decides how the mappings of a file change a bucket; previews use the same decision. */
import {
  type ImportProblem,
  type Mapping,
  type MappingBucket,
  type MappingEvent,
  mappingKey,
  REVIEW_REFUSALS,
  type Reviewer,
  type ReviewRefusal,
  refusal,
  rowId,
} from '@rdm/contracts';
import type { Decision } from '../runtime/decision.ts';
import type { ImportedRowOutcome } from '../runtime/job-pieces.ts';
import { pairOf } from './mappings.ts';

/** A mapping of the file. A value has no identifier prefix if the data set has only the value without prefix. */
export interface FileMapping {
  line: number;
  /** Determines, with the source value, the id of a new mapping. */
  sequence: number;
  sourceValue: string;
  targetValue: string;
  confidence: number;
  /** The line of an earlier mapping with the same pair. */
  repeats?: number;
  /** Whether no other row of the file has this source value. */
  isOnly: boolean;
}

export interface ImportOptions {
  /**
   * For a source value with one mapping and one row in the file: `change` changes the target of the mapping, `add` adds
   * a second mapping.
   */
  existing: 'change' | 'add';
  submit: boolean;
  by: Reviewer;
  /** Target values of deleted rows. With `submit`, new and changed mappings to a deleted target are refused. */
  deletedTargets: ReadonlySet<string>;
}

/** The outcome of a mapping of the file. `before` is the previous value of a changed mapping. */
export interface ImportedPair extends ImportedRowOutcome {
  before?: { targetValue: string; confidence: number };
}

/** How the user can resolve a refusal. */
const FIXES: Partial<Record<ReviewRefusal, string>> = {
  PENDING: 'Recall it, or wait until it is decided',
  LEVEL: 'Ask an administrator of the collection for WRITE permission',
};

/**
 * Decides rows of the file that belong to the bucket, with an outcome for each. All mappings of a source value are in
 * one bucket.
 */
export function importMappings(
  bucket: MappingBucket,
  rows: readonly FileMapping[],
  { existing, submit, by, deletedTargets }: ImportOptions,
): Decision<MappingEvent, ImportedPair[]> {
  const { byPair, bySource } = indexMappings(bucket);
  const drafted: Extract<MappingEvent, { type: 'MappingsDrafted' }>['data']['rows'] = [];
  const edited: Extract<MappingEvent, { type: 'MappingsEdited' }>['data']['rows'] = [];
  const outcomes = rows.map((row): ImportedPair => {
    const { line, sequence, sourceValue, targetValue, confidence, repeats, isOnly } = row;
    const data = { sourceValue, targetValue, confidence: String(confidence) };
    const common = { line, data, problems: [] };
    const refused = (id: number, code: string, problem: ImportProblem): ImportedPair => {
      const key = `${sourceValue} → ${targetValue}`;
      return { ...common, id, outcome: 'refused', code, message: problem.rule, key, problems: [problem] };
    };
    if (repeats !== undefined) {
      const rule = `Line ${repeats} already contains this pair`;
      return refused(line, 'REPEATED', { column: '', value: '', rule, fix: 'Delete one of the two lines' });
    }
    const samePair = byPair.get(pairOf(row, targetValue));
    // Leaves the mapping unchanged if only its served value has this pair, or if the confidence is the same.
    if (samePair && (samePair.value.targetValue !== targetValue || samePair.value.confidence === confidence)) {
      return { ...common, id: samePair.id, outcome: 'done', became: 'unchanged', revision: samePair.revision };
    }
    if (submit && deletedTargets.has(targetValue)) {
      const rule = `The row “${targetValue}” was deleted`;
      const fix = 'Map to another target, or restore the row';
      return refused(samePair?.id ?? line, 'INVALID', { column: '', value: targetValue, rule, fix });
    }
    const [first, ...others] = bySource.get(sourceValue) ?? [];
    const changed = existing === 'change' && first && others.length === 0 && isOnly && !samePair ? first : samePair;
    if (changed) {
      const why = refusal('edit', changed, by);
      if (why) {
        const fix = FIXES[why] ?? 'Delete this line from the file';
        return refused(changed.id, why, {
          column: '',
          value: changed.value.targetValue,
          rule: REVIEW_REFUSALS[why],
          fix,
        });
      }
      edited.push({ id: changed.id, targetValue, confidence });
      const revision = changed.revision + (submit ? 2 : 1);
      return { ...common, id: changed.id, outcome: 'done', became: 'changed', revision, before: changed.value };
    }
    const id = rowId(sequence, mappingKey(sourceValue));
    drafted.push({ id, sourceValue, targetValue, confidence, origin: 'IMPORT' });
    return { ...common, id, outcome: 'done', became: 'created', revision: submit ? 2 : 1 };
  });
  const events: MappingEvent[] = [];
  if (drafted.length > 0) events.push({ type: 'MappingsDrafted', data: { rows: drafted } });
  if (edited.length > 0) events.push({ type: 'MappingsEdited', data: { rows: edited } });
  const writtenIds = [...drafted, ...edited].map(({ id }) => id);
  if (submit && writtenIds.length > 0) events.push({ type: 'MappingsSubmitted', data: { ids: writtenIds } });
  return { events, result: outcomes };
}

/**
 * Indexes mappings that are not deleted, by pair and by source value. If a working value and a served value have the
 * same pair, the working value takes precedence.
 */
function indexMappings({ rows }: MappingBucket) {
  const byPair = new Map<string, Mapping>();
  const bySource = new Map<string, Mapping[]>();
  for (const row of rows.values()) {
    if (row.deleted) continue;
    const servedPair = row.served && pairOf(row, row.served.targetValue);
    if (servedPair !== null && !byPair.has(servedPair)) byPair.set(servedPair, row);
    byPair.set(pairOf(row, row.value.targetValue), row);
    const others = bySource.get(row.sourceValue);
    if (others) others.push(row);
    else bySource.set(row.sourceValue, [row]);
  }
  return { byPair, bySource };
}

/** Marks rows that repeat the pair of an earlier row, and rows whose source value no other row has. */
export function markRepeats<Row extends Pick<FileMapping, 'line' | 'sourceValue' | 'targetValue'>>(
  rows: readonly Row[],
): (Row & Pick<FileMapping, 'repeats' | 'isOnly'>)[] {
  const firstLineByPair = new Map<string, number>();
  const countBySource = new Map<string, number>();
  for (const row of rows) countBySource.set(row.sourceValue, (countBySource.get(row.sourceValue) ?? 0) + 1);
  return rows.map((row) => {
    const pair = pairOf(row, row.targetValue);
    const repeats = firstLineByPair.get(pair);
    if (repeats === undefined) firstLineByPair.set(pair, row.line);
    return { ...row, isOnly: countBySource.get(row.sourceValue) === 1, ...(repeats === undefined ? {} : { repeats }) };
  });
}
