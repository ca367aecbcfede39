/** Specifies how the profile of a file and the settings of the draft's owner determine the import. */
import { describe, expect, it } from 'vitest';
import { changedSettings, type DraftSettings } from './drafts.ts';
import type { ColumnProfile } from './file-profile.ts';
import type { Question } from './problems.ts';
import { nameOfFile, resolveDraft, type TargetFields } from './resolve-draft.ts';

const column = (index: number, name: string, changes: Partial<ColumnProfile> = {}): ColumnProfile => ({
  ...{ index, name, records: 10, empty: 0, isDistinct: true, distinct: 10, samples: [], codeLength: null },
  ...{ dataType: 'string', format: { blank: 'empty' }, reason: '', misfits: 0 },
  ...changes,
});

const dateOrder: Question = {
  ...{ id: 'dateOrder:2', kind: 'dateOrder', column: 2, text: 'Day or month first?', answer: null },
  options: ['DMY', 'MDY'].map((value) => ({ value, label: value, examples: [] })),
};
const findings = {
  columns: [column(0, 'Code'), column(1, 'Name'), column(2, 'Since', { dataType: 'date' })],
  key: [0] as number[] | null,
  label: 1,
  questions: [] as Question[],
};
const country: TargetFields = {
  fields: [
    { fieldId: 7, name: 'code', dataType: 'string' },
    { fieldId: 8, name: 'name', dataType: 'string' },
    { fieldId: 9, name: 'since', dataType: 'date' },
  ],
  keyFieldIds: [7],
};
const intoCountry: DraftSettings = { target: { kind: 'dataSet', dataSetId: 3 } };
const resolve = (settings: DraftSettings = {}, target?: TargetFields, profile = findings) =>
  resolveDraft(profile, settings, 'Codes_2025-11.csv', target);
const fields = ({ columns }: ReturnType<typeof resolve>) => columns.map(({ field }) => field?.name ?? null);

describe('the name of a file', () => {
  it.each([
    ['Artikel_2025-11.csv', 'Artikel'],
    ['price list v2.1.xlsx', 'Price list'],
    ['Codes (1).final.csv', 'Codes'],
    ['List ff202516.csv', 'List ff202516'],
    ['2025-11-01.csv', '2025-11-01'],
    ['.csv', 'Imported data'],
  ])('becomes the proposed name of the data set: “%s” becomes “%s”', (fileName, name) => {
    expect(nameOfFile(fileName)).toBe(name);
  });
});

describe('a file for a new data set', () => {
  it('proposes a number format for a text column that becomes a number column', () => {
    const asNumber = { format: { decimal: ',', group: '.', blank: 'empty' }, misfits: 1 } as const;
    const profile = { ...findings, columns: [...findings.columns, column(3, 'Price', { asNumber })] };
    const priceColumn = (settings: DraftSettings) => resolve(settings, undefined, profile).columns[3];
    expect(priceColumn({})?.format).toEqual({ blank: 'empty' });
    expect(priceColumn({ columns: { 3: { dataType: 'number' } } })?.format).toEqual(asNumber.format);
    expect(priceColumn({ fixes: [{ kind: 'type', column: 3, dataType: 'number' }] })?.format).toEqual(asNumber.format);
    const set = { dataType: 'number', format: { decimal: '.', group: ',' } } as const;
    expect(priceColumn({ columns: { 3: set } })?.format).toMatchObject({ decimal: '.', group: ',' });
  });
  it('proposes a date format for a text column that becomes a date column', () => {
    const asDate = { format: { date: 'DMY', blank: 'empty' }, misfits: 1 } as const;
    const profile = { ...findings, columns: [...findings.columns, column(3, 'From', { asDate })] };
    const settings = { columns: { 3: { dataType: 'date' } } } as const;
    expect(resolve(settings, undefined, profile).columns[3]?.format).toEqual(asDate.format);
    const target: TargetFields = { fields: [{ fieldId: 9, name: 'Valid from', dataType: 'date' }], keyFieldIds: [9] };
    const mapped = resolve({ ...intoCountry, columns: { 3: { field: { fieldId: 9 } } } }, target, profile).columns[3];
    expect(mapped).toMatchObject({ dataType: 'date', format: asDate.format });
  });
  it('does not propose a label column whose type the user sets to date', () => {
    const labels = (settings: DraftSettings) => resolve(settings).columns.map(({ isLabel }) => isLabel);
    expect(labels({ columns: { 1: { dataType: 'date' } } })).toEqual([false, false, false]);
    expect(labels({ columns: { 1: { dataType: 'string' } } })).toEqual([false, true, false]);
  });
  it('has a field for each column, the proposed key and label, and the name of the file', () => {
    const resolved = resolve();
    expect(resolved.target).toEqual({ kind: 'newDataSet', name: 'Codes' });
    expect(fields(resolved)).toEqual(['Code', 'Name', 'Since']);
    expect(resolved.columns.map(({ isKey, isLabel }) => [isKey, isLabel])).toEqual([
      [true, false],
      [false, true],
      [false, false],
    ]);
    expect(resolved).toMatchObject({ open: [], mode: 'insert', description: 'Import of Codes_2025-11.csv' });
  });

  it('uses the names, types, ignored columns, key and label that the user set', () => {
    const resolved = resolve({
      columns: { '0': { field: null }, '1': { field: { name: 'Title' } }, '2': { dataType: 'string' } },
      ...{ key: [1], label: 2 },
    });
    expect(fields(resolved)).toEqual([null, 'Title', 'Since']);
    expect(resolved.columns[1]?.isKey).toBe(true);
    expect(resolved.columns[2]).toMatchObject({ dataType: 'string', isLabel: true });
  });

  it('needs a key', () => {
    expect(resolve({}, undefined, { ...findings, key: null }).open).toEqual([
      'Choose the column that identifies a row',
    ]);
    expect(resolve({ columns: { '0': { field: null } } }).open).toEqual(['Choose the column that identifies a row']);
  });

  it('asks for a correction if two columns fill one field, ignoring case', () => {
    expect(resolve({ columns: { '1': { field: { name: 'CODE' } } } }).open).toEqual([
      'The columns "Code" and "Name" both fill the field "CODE": ignore one or rename it',
    ]);
  });

  it('needs at least one field', () => {
    const columns = { '0': { field: null }, '1': { field: null }, '2': { field: null } };
    expect(resolve({ columns }).open).toEqual(['Every column is ignored: choose a field for at least one']);
  });

  it('applies fixes of format and type after the settings', () => {
    const { columns } = resolve({
      columns: { '2': { format: { date: 'MDY' } } },
      fixes: [
        { kind: 'format', column: 2, format: { date: 'DMY', blank: 'empty' } },
        { kind: 'type', column: 1, dataType: 'number' },
      ],
    });
    expect(columns[2]?.format.date).toBe('DMY');
    expect(columns[1]?.dataType).toBe('number');
  });
});

describe('a file for existing fields', () => {
  it('fills the fields by name, and uses the types and the key of the target', () => {
    const resolved = resolve(intoCountry, country);
    expect(resolved.columns.map(({ field, dataType, isKey }) => [field?.fieldId, dataType, isKey])).toEqual([
      [7, 'string', true],
      [8, 'string', false],
      [9, 'date', false],
    ]);
    expect(resolved).toMatchObject({ open: [], mode: 'upsert' });
  });

  it('fills a field from the column that the user set instead of the column of the same name', () => {
    const resolved = resolve({ ...intoCountry, columns: { '1': { field: { fieldId: 7 } } } }, country);
    expect(fields(resolved)).toEqual([null, 'code', 'since']);
    expect(resolved.columns[1]?.isKey).toBe(true);
  });

  it('names the key field that no column fills', () => {
    expect(resolve({ ...intoCountry, columns: { '0': { field: null } } }, country).open).toEqual([
      'No column fills the key field "code": choose one',
    ]);
  });

  it('ignores a column whose chosen field the type no longer has', () => {
    const resolved = resolve({ ...intoCountry, columns: { '2': { field: { fieldId: 99 } } } }, country);
    expect(fields(resolved)).toEqual(['code', 'name', null]);
  });
});

describe('a question', () => {
  const profile = { ...findings, questions: [dateOrder] };

  it('is open until it is answered, and the answer becomes the format', () => {
    expect(resolve({}, undefined, profile).open).toEqual(['Day or month first?']);
    const answered = resolve({ answers: { 'dateOrder:2': 'MDY' } }, undefined, profile);
    expect(answered.open).toEqual([]);
    expect(answered.questions[0]?.answer).toBe('MDY');
    expect(answered.columns[2]?.format.date).toBe('MDY');
  });

  it.each<[string, DraftSettings]>([
    ['the column is ignored', { columns: { '2': { field: null } } }],
    ['the column has another type', { columns: { '2': { dataType: 'string' } } }],
    ['the format was set', { columns: { '2': { format: { date: 'DMY' } } } }],
  ])('is left out when %s', (_, settings) => {
    expect(resolve(settings, undefined, profile)).toMatchObject({ questions: [], open: [] });
  });

  it('about the key determines the key columns of a target without a key', () => {
    const key: Question = { ...dateOrder, id: 'key', kind: 'key', column: null, text: 'Which key?' };
    const withKey = { ...findings, key: null, questions: [key] };
    expect(resolve({}, undefined, withKey).open).toEqual(['Which key?']);
    expect(resolve({ answers: { key: '0,1' } }, undefined, withKey).columns.map(({ isKey }) => isKey)).toEqual([
      ...[true, true, false],
    ]);
    expect(resolve(intoCountry, country, withKey).questions).toEqual([]);
  });
  it('about the key adds a column of record numbers to a new type for the answer `row`', () => {
    const key: Question = {
      ...{ id: 'key', kind: 'key', column: null, text: 'Which column?', answer: null },
      options: ['0', 'row'].map((value) => ({ value, label: value, examples: [] })),
    };
    const profile = { ...findings, key: null, questions: [key] };
    const answers = { key: 'row' };
    const created = resolve({ answers }, undefined, profile);
    expect([created.hasRecordNumbers, created.columns.length]).toEqual([true, 4]);
    const existing = resolve({ answers, ...intoCountry }, country, profile);
    expect([existing.hasRecordNumbers, existing.columns.length]).toEqual([false, 3]);
    const ofType = resolve({ answers, target: { kind: 'newDataSet', name: 'New', typeId: 2 } }, country, profile);
    expect(ofType.hasRecordNumbers).toBe(false);
  });
});

describe('a change of the settings', () => {
  it('merges columns, replaces other parts, and removes parts that are null', () => {
    const before: DraftSettings = { columns: { '0': { field: null } }, key: [1], description: 'Old' };
    expect(changedSettings(before, { columns: { '1': { dataType: 'date' } }, key: null, description: 'New' })).toEqual({
      columns: { '0': { field: null }, '1': { dataType: 'date' } },
      description: 'New',
    });
  });

  it('removes the columns and the key if the sheet changes', () => {
    const before: DraftSettings = { read: { sheet: 'A' }, columns: { '0': { field: null } }, key: [1], mode: 'insert' };
    expect(changedSettings(before, { read: { sheet: 'B' } })).toEqual({ read: { sheet: 'B' }, mode: 'insert' });
    expect(changedSettings(before, { read: { sheet: 'A', headerRow: 2 } })).toMatchObject({ key: [1] });
  });
});
