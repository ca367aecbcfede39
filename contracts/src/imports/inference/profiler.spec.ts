import { describe, expect, it } from 'vitest';
import type { TypeField } from '../../reference-types/reference-types.ts';
import { createProfiler } from './profiler.ts';
import type { CellKind } from './read-cell-value.ts';

/** Profiles the columns with these names and cells. Numbers and booleans of JavaScript represent typed cells. */
function profile(columns: Record<string, readonly (string | number | boolean)[]>, knownFields: TypeField[] = []) {
  const names = Object.keys(columns);
  const profiler = createProfiler(names);
  const isTyped = Object.values(columns).some((cells) => cells.some((cell) => typeof cell !== 'string'));
  const records = Math.max(...Object.values(columns).map((cells) => cells.length));
  for (let record = 0; record < records; record++) {
    const cells = names.map((name) => columns[name]?.[record] ?? '');
    const kinds = cells.map((cell) => (typeof cell === 'string' ? undefined : (typeof cell as CellKind)));
    profiler.add(cells.map(String), isTyped ? kinds : undefined);
  }
  const { columns: profiles, ...rest } = profiler.finish({ knownFields });
  return { ...rest, columns: profiles, profileOf: (name: string) => profiles.find((each) => each.name === name) };
}
const field = (name: string, dataType: TypeField['dataType'], isPrimaryKey = false): TypeField => ({
  fieldId: 1,
  name,
  dataType,
  isPrimaryKey,
  retired: false,
  referencedBy: [],
});
const repeated = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);

describe('types', () => {
  it.each([
    ['boolean', ['true', 'FALSE']],
    ['boolean', ['ja', 'nein', '']],
    ['boolean', ['Y', 'N']],
    ['boolean', ['x', '', 'x']],
    ['date', ['2025-04-03', '2025-12-31']],
    ['date', ['03.04.25', '31.12.1930']],
    ['date', ['4 Mar 2018', '12-Dec-2019']],
    ['number', ['1', '2.5', '-3']],
    ['number', ['1.23E+12', '2.5e-3']],
    ['string', ['1', '2', 'three']],
    ['string', ['', ' ']],
  ])('are %s for %j', (dataType, values) => {
    expect(profile({ Value: values }).profileOf('Value')).toMatchObject({ dataType });
  });
  it.each([
    ['0033', 'leading zero'],
    ['+49', 'plus sign'],
    ['123456789012345678', 'more digits'],
    ['9e42', 'strings'],
    ['NA', 'strings'],
    ['41_10_1', 'strings'],
  ])('are texts for %s, with a reason that contains "%s"', (value, reason) => {
    expect(profile({ Value: [value, value] }).profileOf('Value')).toMatchObject({
      dataType: 'string',
      misfits: 0,
      reason: expect.stringContaining(reason),
    });
  });
  it('are marked as typed only if the file stores every value of the column as a typed cell', () => {
    const profiled = profile({ Price: [1, 2.5], Mixed: [1, '2,5'], Text: ['1', '2'], Empty: ['', ''] });
    expect(profiled.columns.map(({ isTyped }) => isTyped)).toEqual([true, undefined, undefined, undefined]);
  });
  it('are texts for digits in text cells of a workbook', () => {
    expect(profile({ Value: ['1', '1'], Count: [2, 2] }).columns.map(({ dataType }) => dataType)).toEqual([
      'string',
      'number',
    ]);
  });
  it.each<[string, string[], string, object]>([
    ['a decimal comma and separated thousands', ['1.234,50', '99,90', '12'], 'number', { decimal: ',', group: '.' }],
    ['separated thousands', ['1,234.50', '12'], 'number', { group: ',' }],
    ['a decimal point only', ['1.10', '2'], 'string', {}],
    ['a leading zero', ['00123', '1.234,50'], 'string', {}],
  ])('are inferred for text cells of a workbook with %s', (_, values, dataType, format) => {
    expect(profile({ Value: values, Count: values.map(() => 2) }).profileOf('Value')).toMatchObject({
      dataType,
      format,
    });
  });
  it('of text columns include the format and the misfits that the type number would have', () => {
    const profiled = profile({ Price: ['1.234,50', '9,90', 'unknown', 'free'], Count: ['1', '2', '3', '4'] });
    expect(profiled.profileOf('Price')).toMatchObject({
      dataType: 'string',
      asNumber: { format: { decimal: ',', group: '.', blank: 'empty' }, misfits: 2 },
    });
    expect(profiled.profileOf('Count')?.asNumber).toBeUndefined();
  });
  it('of text columns include the format and the misfits that the type date would have', () => {
    const profiled = profile({
      From: ['31.12.2025', '01.02.2025', 'open', 'open', '2025-01-31'],
      To: ['12/31/2025', '03/04/2025', '?', '?', '?'],
      Day: ['2025-01-01', '2025-01-02', '2025-01-03', '2025-01-04', '2025-01-05'],
    });
    expect(profiled.profileOf('From')).toMatchObject({
      dataType: 'string',
      asDate: { format: { date: 'DMY', blank: 'empty' }, misfits: 2 },
    });
    expect(profiled.profileOf('To')?.asDate).toEqual({ format: { date: 'MDY', blank: 'empty' }, misfits: 3 });
    expect(profiled.profileOf('Day')?.asDate).toBeUndefined();
  });
  it('are texts for numbers in a column whose name is usual for codes', () => {
    expect(profile({ PLZ: ['10115', '10115'], count: ['1', '1'] }).columns.map(({ dataType }) => dataType)).toEqual([
      'string',
      'number',
    ]);
  });
  it('are booleans for ones and zeros only if the column has the name of a boolean', () => {
    const profiled = profile({ isActive: ['1', '0', '1'], Rank: ['1', '0', '1'] });
    expect(profiled.columns.map(({ dataType }) => dataType)).toEqual(['boolean', 'number']);
  });
  it('allow a tenth of misfits if at least ten values fit', () => {
    const values = [...repeated(18, '2025-04-03'), 'n/a', '2025-13-01'];
    expect(profile({ From: values }).profileOf('From')).toMatchObject({ dataType: 'date', misfits: 2 });
    expect(profile({ From: ['2025-04-03', 'n/a'] }).profileOf('From')).toMatchObject({ dataType: 'string' });
  });
  it('are the types of existing fields with the same names', () => {
    const profiled = profile({ Amount: ['1', 'two'] }, [field('amount', 'number', true)]);
    expect(profiled.profileOf('Amount')).toMatchObject({ dataType: 'number', misfits: 1 });
  });
});

describe('the order of dates', () => {
  it('is day first for dates with dots, without a question', () => {
    const profiled = profile({ Code: ['a', 'b'], From: ['03.04.2025', '05.06.2025'] });
    expect(profiled.profileOf('From')).toMatchObject({ dataType: 'date', format: { date: 'DMY' } });
    expect(profiled.profileOf('From')?.reason).toContain('dots');
    expect(profiled.questions).toEqual([]);
  });
  it('is requested for dates with slashes if no day is above 12', () => {
    const { questions } = profile({ Code: ['a', 'b'], From: ['03/04/2025', '05/06/2025'] });
    expect(questions).toMatchObject([
      {
        kind: 'dateOrder',
        column: 1,
        options: [
          { value: 'DMY', examples: ['03/04/2025 → 2025-04-03'] },
          { value: 'MDY', examples: ['03/04/2025 → 2025-03-04'] },
        ],
        answer: null,
      },
    ]);
  });
  it('is the order that another column proves, and the reason names this column', () => {
    const profiled = profile({ Code: ['a', 'b'], From: ['03/04/2025', '05/06/2025'], Until: ['31/12/2025', ''] });
    expect(profiled.profileOf('From')).toMatchObject({
      format: { date: 'DMY' },
      reason: 'All values are dates with the day first, as in the column "Until".',
    });
    expect(profiled.questions).toEqual([]);
  });
  it('is month first if a day above 12 is second', () => {
    expect(profile({ From: ['12/31/2025', '01.02.2025'] }).profileOf('From')).toMatchObject({
      format: { date: 'MDY' },
    });
  });
  it('is requested, with a count for each order, if values prove both orders', () => {
    const { questions } = profile({ From: [...repeated(20, '31/12/2025'), '12/31/2025'] });
    expect(questions).toContainEqual(
      expect.objectContaining({
        kind: 'dateOrder',
        options: [expect.objectContaining({ count: 20 }), expect.objectContaining({ count: 1 })],
      }),
    );
  });
  it('is marked as contradictory even in a text column, which the user can change to dates', () => {
    const texts = repeated(9, 'unknown');
    const profiled = profile({
      Both: ['31.12.2025', '12/31/2025', ...texts],
      One: ['12/31/2025', '1/2/2025', ...texts],
    });
    expect(profiled.profileOf('Both')).toMatchObject({ dataType: 'string', hasBothDateOrders: true });
    expect(profiled.profileOf('One')?.hasBothDateOrders).toBeUndefined();
  });
});

describe('separators of numbers', () => {
  it('are requested if all numbers are like 1,234', () => {
    const { questions } = profile({ Code: ['a', 'b'], Price: ['1,234', '5,678'] });
    const options = questions.flatMap((question) => question.options);
    expect(options.map(({ value, examples }) => [value, examples])).toEqual([
      ['.', ['1,234 → 1234']],
      [',', ['1,234 → 1.234']],
    ]);
    expect(questions).toMatchObject([{ kind: 'numberFormat', column: 1, options: [{ value: '.' }, { value: ',' }] }]);
  });
  it('are the separators that another column proves, and the reason names this column', () => {
    const profiled = profile({ Code: ['a', 'b'], Rate: ['1,234', '5,678'], Total: ['1.234,50', '2.000,00'] });
    expect(profiled.questions).toEqual([]);
    expect(profiled.profileOf('Rate')).toMatchObject({
      dataType: 'number',
      format: { decimal: ',' },
      reason: 'All values are numbers with a decimal comma, as in the column "Total".',
    });
    expect(profiled.profileOf('Total')).toMatchObject({ format: { decimal: ',', group: '.' } });
  });
  it.each([
    [['1,5', '2'], { decimal: ',' }],
    [['0,125'], { decimal: ',' }],
    [['1.234.567', '1'], { decimal: ',', group: '.' }],
    [['1,234,567.5'], { group: ',' }],
    [['1\u202f234,5', '1 234'], { decimal: ',', group: ' ' }],
    [["1'234.5"], { group: "'" }],
    [['1', '2.5'], {}],
  ])('of %j are %j', (values, format) => {
    const profiled = profile({ Value: [...values, ...values] });
    expect(profiled.profileOf('Value')).toMatchObject({ dataType: 'number', misfits: 0 });
    expect(profiled.profileOf('Value')?.format).toEqual({ ...format, blank: 'empty' });
  });
  it('are not requested if the numbers are typed', () => {
    expect(profile({ Code: ['a', 'b'], Value: [1.234, 1000] }).questions).toEqual([]);
  });
});

describe('the key', () => {
  it('is the distinct column with the name of a key, and the type of this column is text', () => {
    const profiled = profile({ Rank: ['1', '2', '3'], 'Product code': ['7', '8', '9'], Price: ['1.5', '2.5', '3.5'] });
    expect(profiled).toMatchObject({ key: [1] });
    expect(profiled.profileOf('Product code')).toMatchObject({ dataType: 'string' });
    expect(profiled.profileOf('Rank')).toMatchObject({ dataType: 'number' });
  });
  it.each(['Supplier No.', 'Account number'])('is the column "%s" even if its values contain only digits', (name) => {
    const profiled = profile({ Rank: ['1', '2', '3'], [name]: ['7', '8', '9'] });
    expect(profiled).toMatchObject({ key: [1] });
    expect(profiled.profileOf(name)).toMatchObject({ dataType: 'string' });
  });
  it('is a column of codes, not a column of amounts in different formats', () => {
    const records = Array.from({ length: 300 }, (_, index) => index);
    const numbers = records.map((index) =>
      index === 5 ? ' 00006 ' : String(index === 9 ? 9 : index + 1).padStart(5, '0'),
    );
    const amounts = records.map((index) => (index % 3 ? `${1000 + index},25` : `${1000 + index}.50`));
    expect(profile({ Supplier: numbers, Limit: amounts }).key).toEqual([0]);
  });
  it('is a column of codes with decimal points and leading zeros', () => {
    const codes = Array.from({ length: 30 }, (_, index) => `${String(index + 1).padStart(2, '0')}.11`);
    expect(profile({ Class: codes, Text: repeated(30, 'the same') }).key).toEqual([0]);
  });
  it('is a unique pair of columns if no column is distinct', () => {
    const profiled = profile({ Country: ['DE', 'DE', 'FR'], Year: ['24', '25', '24'], Text: ['aaaa', 'aaaa', 'aaaa'] });
    expect(profiled).toMatchObject({ key: [0, 1], questions: [] });
  });
  it('is requested if no pair is unique', () => {
    const profiled = profile({ Country: ['DE', 'DE'], Year: ['24', '24'] });
    expect(profiled).toMatchObject({ key: null, questions: [{ kind: 'key' }] });
    expect(profiled.questions[0]?.options.map(({ value }) => value)).toEqual(['0', '1', 'row']);
  });
  it('is the column with the name of a key even if a few of its values are missing or repeated', () => {
    const codes = Array.from({ length: 300 }, (_, index) => String(index).padStart(5, '0'));
    codes[10] = '';
    codes[20] = '00019';
    const names = codes.map((_, index) => `Screw number ${index}`);
    expect(profile({ Artikelnr: codes, Bezeichnung: names }).key).toEqual([0]);
  });
  it('is the column with the name of a key in a short file with at most two repeated values', () => {
    const codes = Array.from({ length: 60 }, (_, index) => String(index).padStart(5, '0'));
    const names = codes.map((_, index) => `Screw number ${index}`);
    const keyColumnsAfter = (...changed: string[]) =>
      profile({ Code: [...codes.slice(changed.length), ...changed], Name: names }).key;
    expect(keyColumnsAfter('00010')).toEqual([0]);
    expect(keyColumnsAfter('00010', '00011')).toEqual([0]);
    expect(keyColumnsAfter('00010', '00011', '00012')).toEqual([1]);
  });
  it('is the key of the target, or null if a key field has no column', () => {
    const fields = [field('Kind', 'string', true), field('Nr', 'string', true)];
    expect(profile({ nr: ['1'], name: ['a'], kind: ['b'] }, fields).key).toEqual([2, 0]);
    expect(profile({ nr: ['1'], name: ['a'] }, fields)).toMatchObject({ key: null, questions: [] });
  });
});

describe('the label', () => {
  it('is the text with a usual name', () => {
    expect(profile({ Code: ['a', 'b'], Remark: ['x y z', 'u v w'], Name: ['A', 'B'] }).label).toBe(2);
  });
  it('is the text with the most words if no text has a usual name', () => {
    expect(profile({ Code: ['a', 'b'], Short: ['x', 'y'], Long: ['x y z', 'u v w'] }).label).toBe(2);
    expect(profile({ Code: ['a', 'b'], Count: ['1', '2'] }).label).toBe(0);
  });
});

describe('a short file with wrong codes', () => {
  const file = {
    Code: ['A1', 'A2', 'A2', '', 'A5'],
    Bezeichnung: ['Rote Lampe', 'Blaue Lampe', 'Tisch', 'Stuhl', 'Regal'],
    'Gültig ab': ['31.12.2025', '01.02.2025', '15.03.2025', 'bald', '17.04.2025'],
  };
  it('has a question about the key, and no other column becomes the key', () => {
    const profiled = profile(file);
    expect(profiled).toMatchObject({ key: null, questions: [{ kind: 'key', answer: null }] });
    expect(profiled.keyReason).toContain('"Code" has the name of a key');
    expect(profiled.questions[0]?.options[0]?.label).toBe('Code');
    expect(profiled.label).toBe(1);
  });
  it('has another key if most codes are repeated', () => {
    expect(profile({ ...file, Code: ['A', 'A', 'A', 'A', 'B'] }).key).toEqual([1]);
  });
  it('takes neither the key nor the label from a column of dates with one wrong date', () => {
    expect(profile({ Bezeichnung: file.Bezeichnung, 'Gültig ab': file['Gültig ab'] })).toMatchObject({
      key: [0],
      label: 0,
    });
  });
});

describe('counts', () => {
  it('are exact for 100,000 distinct values, and less than 5% off for 300,000', () => {
    const profiler = createProfiler(['Few', 'Many']);
    for (let record = 0; record < 300_000; record++) profiler.add([String(record % 100_000), `C${record}`]);
    const { columns } = profiler.finish();
    expect(columns[0]).toMatchObject({ distinct: 100_000, isDistinct: false });
    expect(columns[1]?.isDistinct).toBe(true);
    expect(Math.abs((columns[1]?.distinct ?? 0) / 300_000 - 1)).toBeLessThan(0.05);
  });
  it('include columns that get their name after the first records', () => {
    const profiler = createProfiler(['Code']);
    profiler.add(['a']);
    profiler.setName(1, 'Note');
    profiler.add(['b', 'x']);
    expect(profiler.finish().columns).toMatchObject([{ empty: 0 }, { name: 'Note', empty: 1, records: 2 }]);
  });
});

it('infers the length of codes with leading zeros', () => {
  const codes = [...repeated(19, '00033'), '44'];
  expect(profile({ Nr: codes, Name: codes.map((code) => `N${code}`) }).columns).toMatchObject([
    { codeLength: 5 },
    { codeLength: null },
  ]);
});

it('infers the key, label, types and formats of a file with German dates, decimal commas and eight wrong cells', () => {
  const numbers = Array.from({ length: 300 }, (_, index) => index);
  const wrong = (index: number, at: readonly number[], text: string, right: string) =>
    at.includes(index) ? text : right;
  const profiled = profile({
    Artikelnr: numbers.map((index) => String(index).padStart(5, '0')),
    Bezeichnung: numbers.map((index) => `Größe ${index} für Öfen`),
    'Gültig ab': numbers.map((index) =>
      wrong(index, [3, 70, 200], '31.13.2025', `${String((index % 28) + 1).padStart(2, '0')}.04.2025`),
    ),
    Preis: numbers.map((index) => wrong(index, [5, 6, 7, 8, 9], 'n/a', `1.${index + 100},50`)),
    Aktiv: numbers.map((index) => (index % 3 === 0 ? 'nein' : 'ja')),
  });
  expect(profiled).toMatchObject({ key: [0], label: 1, questions: [], records: 300 });
  expect(profiled.columns.map(({ dataType, misfits }) => [dataType, misfits])).toEqual([
    ['string', 0],
    ['string', 0],
    ['date', 3],
    ['number', 5],
    ['boolean', 0],
  ]);
  expect(profiled.columns.map(({ format }) => format)).toMatchObject([
    {},
    {},
    { date: 'DMY' },
    { decimal: ',', group: '.' },
    { yes: ['ja'], no: ['nein'] },
  ]);
});
