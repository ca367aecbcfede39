/** Mappings of a file: what each becomes beside those that are there, decided bucket by bucket; a preview asks the same. */
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

/** A mapping of the file with its values as the data sets have them. */
export interface WantedMapping {
  line: number;
  /** What the id of a new one is made of. */
  sequence: number;
  sourceValue: string;
  targetValue: string;
  confidence: number;
  /** The line that has the same pair before it. */
  repeats?: number;
  /** No other pair of the file has its source value. */
  isOnly: boolean;
}

export interface ImportingMappings {
  /** What a further target means for a source value that has one mapping and is in the file once. */
  existing: 'change' | 'add';
  submit: boolean;
  by: Reviewer;
  /** Targets that were deleted: nothing that leads to them is submitted. */
  gone: ReadonlySet<string>;
}

/** What became of a mapping of the file, and what it said before where that is changed. */
export interface ImportedPair extends ImportedRowOutcome {
  before?: { targetValue: string; confidence: number };
}

/** What a refused row may have done about it. */
const FIXES: Partial<Record<ReviewRefusal, string>> = {
  PENDING: 'Recall it, or wait until it is decided',
  LEVEL: 'Ask an administrator of the collection for WRITE permission',
};

/** Each row of the file decided for itself, none of them twice; all of a source value are of one bucket. */
export function importMappings(
  bucket: MappingBucket,
  wanted: readonly WantedMapping[],
  { existing, submit, by, gone }: ImportingMappings,
): Decision<MappingEvent, ImportedPair[]> {
  const { byPair, bySource } = standing(bucket);
  const drafted: Extract<MappingEvent, { type: 'MappingsDrafted' }>['data']['rows'] = [];
  const edited: Extract<MappingEvent, { type: 'MappingsEdited' }>['data']['rows'] = [];
  const outcomes = wanted.map((row): ImportedPair => {
    const { line, sequence, sourceValue, targetValue, confidence, repeats, isOnly } = row;
    const data = { sourceValue, targetValue, confidence: String(confidence) };
    const told = { line, data, problems: [] };
    const refused = (id: number, code: string, problem: ImportProblem): ImportedPair => {
      const key = `${sourceValue} → ${targetValue}`;
      return { ...told, id, outcome: 'refused', code, message: problem.rule, key, problems: [problem] };
    };
    if (repeats !== undefined) {
      const rule = `This pair is in row ${repeats} already`;
      return refused(line, 'REPEATED', { column: '', value: '', rule, fix: 'Leave one of the two out' });
    }
    const same = byPair.get(pairOf(row, targetValue));
    // An approved pair under whose row another target is drafted: it is there, and serves.
    if (same && (same.value.targetValue !== targetValue || same.value.confidence === confidence)) {
      return { ...told, id: same.id, outcome: 'done', became: 'unchanged', revision: same.revision };
    }
    if (submit && gone.has(targetValue)) {
      const rule = `The row “${targetValue}” was deleted`;
      const fix = 'Map to another target, or bring the row back';
      return refused(same?.id ?? line, 'INVALID', { column: '', value: targetValue, rule, fix });
    }
    const [only, ...others] = bySource.get(sourceValue) ?? [];
    const changed = existing === 'change' && only && others.length === 0 && isOnly && !same ? only : same;
    if (changed) {
      const why = refusal('edit', changed, by);
      if (why) {
        const fix = FIXES[why] ?? 'Leave the row out';
        return refused(changed.id, why, {
          column: '',
          value: changed.value.targetValue,
          rule: REVIEW_REFUSALS[why],
          fix,
        });
      }
      edited.push({ id: changed.id, targetValue, confidence });
      const revision = changed.revision + (submit ? 2 : 1);
      return { ...told, id: changed.id, outcome: 'done', became: 'changed', revision, before: changed.value };
    }
    const id = rowId(sequence, mappingKey(sourceValue));
    drafted.push({ id, sourceValue, targetValue, confidence, origin: 'IMPORT' });
    return { ...told, id, outcome: 'done', became: 'created', revision: submit ? 2 : 1 };
  });
  const events: MappingEvent[] = [];
  if (drafted.length > 0) events.push({ type: 'MappingsDrafted', data: { rows: drafted } });
  if (edited.length > 0) events.push({ type: 'MappingsEdited', data: { rows: edited } });
  const written = [...drafted, ...edited].map(({ id }) => id);
  if (submit && written.length > 0) events.push({ type: 'MappingsSubmitted', data: { ids: written } });
  return { events, result: outcomes };
}

/** Mappings that are not deleted: by the pairs that they hold, the working value before the served one, and by source. */
function standing({ rows }: MappingBucket) {
  const byPair = new Map<string, Mapping>();
  const bySource = new Map<string, Mapping[]>();
  for (const row of rows.values()) {
    if (row.deleted) continue;
    const served = row.served && pairOf(row, row.served.targetValue);
    if (served !== null && !byPair.has(served)) byPair.set(served, row);
    byPair.set(pairOf(row, row.value.targetValue), row);
    const others = bySource.get(row.sourceValue);
    if (others) others.push(row);
    else bySource.set(row.sourceValue, [row]);
  }
  return { byPair, bySource };
}

/** Which pairs of a bucket's rows stand in the file before, and which source values stand in it once. */
export function besideEachOther<Row extends Pick<WantedMapping, 'line' | 'sourceValue' | 'targetValue'>>(
  rows: readonly Row[],
): (Row & Pick<WantedMapping, 'repeats' | 'isOnly'>)[] {
  const firstOf = new Map<string, number>();
  const timesIn = new Map<string, number>();
  for (const row of rows) timesIn.set(row.sourceValue, (timesIn.get(row.sourceValue) ?? 0) + 1);
  return rows.map((row) => {
    const pair = pairOf(row, row.targetValue);
    const repeats = firstOf.get(pair);
    if (repeats === undefined) firstOf.set(pair, row.line);
    return { ...row, isOnly: timesIn.get(row.sourceValue) === 1, ...(repeats === undefined ? {} : { repeats }) };
  });
}
