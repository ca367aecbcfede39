/** Applies the fixes of a draft to records before validation. */
import { changedValue, type Fix, groupId, parseGroupId, type ResolvedDraft, SURPLUS, shapeOf } from '@rdm/contracts';
import { toByteString } from '../../file-imports/rejected-rows.ts';
import type { SourceRecord } from '../../file-imports/sources/source.ts';
import { decodeUtf8 } from '../../file-imports/text-encoding.ts';
import type { FlawedRow } from '../validation/row-validation.ts';

export interface FixPlan {
  /** Returns the fixed record. If record numbers are the key, the last cell is the number of the record. */
  apply: (record: SourceRecord) => SourceRecord;
  /** Whether a fix skips the row because of one of its flaws. */
  isSkipped: (row: FlawedRow) => boolean;
  /** Which row with a repeated key is imported. If undefined, the first row is imported; its repeats are problems. */
  keep: 'first' | 'last' | undefined;
}

type CellFix = Exclude<Fix, { kind: 'format' | 'type' | 'skip' | 'keep' }>;

/** Returns the id of a flaw's group, made of the rule, the column and the shape of the value. */
export const groupOf = (flaw: FlawedRow['flaws'][number], columns: readonly string[]): string =>
  groupId({
    rule: flaw.rule,
    column: flaw.column === null ? null : columns.indexOf(flaw.column),
    shape: flaw.column === null ? (flaw.isSurplus ? SURPLUS : '') : shapeOf(flaw.value ?? ''),
  });

export function planFixes(
  { fixes, columns, hasRecordNumbers }: Pick<ResolvedDraft, 'fixes' | 'columns' | 'hasRecordNumbers'>,
  delimiter = ',',
): FixPlan {
  const names = columns.map(({ name }) => name);
  const width = columns.filter(({ isRecordNumber }) => !isRecordNumber).length;
  const withRecordNumber = (record: SourceRecord): SourceRecord =>
    hasRecordNumbers ? { ...record, fields: [...record.fields, String(record.line)] } : record;
  const skippedGroups = new Set<string>();
  const cellFixes: Exclude<CellFix, { kind: 'setCell' }>[] = [];
  const editsByRecord = new Map<number, { column: number; value: string }[]>();
  let keep: FixPlan['keep'];
  for (const fix of fixes) {
    if (fix.kind === 'skip') skippedGroups.add(groupId(parseGroupId(fix.group)));
    else if (fix.kind === 'keep') keep = fix.which;
    else if (fix.kind === 'setCell') {
      const edits = editsByRecord.get(fix.record);
      if (edits) edits.push(fix);
      else editsByRecord.set(fix.record, [fix]);
    } else if (fix.kind !== 'format' && fix.kind !== 'type') cellFixes.push(fix);
  }
  return {
    keep,
    isSkipped: ({ flaws }) => skippedGroups.size > 0 && flaws.some((flaw) => skippedGroups.has(groupOf(flaw, names))),
    apply(record) {
      const edits = editsByRecord.get(record.line);
      if (!edits && cellFixes.length === 0) return withRecordNumber(record);
      const changed = new ChangedRecord(record);
      for (const fix of cellFixes) applyGroupFix(changed, fix, width, delimiter);
      // Edited cells come last, because they override the fixes of groups.
      for (const { column, value } of edits ?? []) changed.set(column, value);
      return withRecordNumber(changed.record());
    },
  };
}

/** Changes the cells of a record. The methods take and return texts, but the record has strings of UTF-8 bytes. */
class ChangedRecord {
  readonly #record: SourceRecord;
  #fields: string[] | undefined;

  constructor(record: SourceRecord) {
    this.#record = record;
  }

  get width(): number {
    return (this.#fields ?? this.#record.fields).length;
  }

  text(column: number): string {
    const bytes = (this.#fields ?? this.#record.fields)[column] ?? '';
    return decodeUtf8(bytes) ?? bytes;
  }

  set(column: number, text: string): void {
    this.#own()[column] = toByteString(text);
  }

  join(column: number, surplus: number, delimiter: string): void {
    const fields = this.#own();
    fields.splice(column, surplus + 1, fields.slice(column, column + surplus + 1).join(delimiter));
  }

  #own(): string[] {
    this.#fields ??= [...this.#record.fields];
    return this.#fields;
  }

  record(): SourceRecord {
    if (!this.#fields) return this.#record;
    const fields = Array.from(this.#fields, (field) => field ?? '');
    const { kinds, ...rest } = this.#record;
    // A changed cell is a text, whatever type the cell has in the workbook.
    const kindsOfUnchanged = kinds?.map((kind, index) =>
      fields[index] === this.#record.fields[index] ? kind : undefined,
    );
    return { ...rest, fields, isClean: false, ...(kindsOfUnchanged ? { kinds: kindsOfUnchanged } : {}) };
  }
}

function applyGroupFix(
  record: ChangedRecord,
  fix: Exclude<CellFix, { kind: 'setCell' }>,
  width: number,
  delimiter: string,
) {
  const { column, shape } = parseGroupId(fix.group);
  if (fix.kind === 'joinSurplus') {
    const surplus = record.width - width;
    if (surplus > 0 && fix.column < width) record.join(fix.column, surplus, delimiter);
    return;
  }
  if (column === null) return;
  const text = record.text(column);
  if (fix.kind === 'mapValue') {
    if (text === fix.from) record.set(column, fix.to);
  } else if (fix.kind === 'fill') {
    if (text.trim() === '') record.set(column, fix.value);
  } else if (shapeOf(text) === shape) {
    record.set(column, changedValue(text, fix.by, fix.length));
  }
}
