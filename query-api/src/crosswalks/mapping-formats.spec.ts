/** Tests the file formats of mappings: writing, reading, and messages for invalid files. */
import { normaliseText } from '@rdm/contracts';
import { shareOf } from '@rdm/contracts/crosswalks/mapping-formats/exchanged-mapping';
import {
  conceptMap,
  type ExchangedCrosswalk,
  type ExchangedMapping,
  type Format,
  mappingReader,
  readMappings,
  sssom,
} from '@rdm/contracts/crosswalks/mapping-formats/index';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csv, json } from '../http/download.ts';

const URL = 'https://reference.example.com/';
const crosswalk: ExchangedCrosswalk = {
  id: 7,
  name: 'Länder "A" → B\nsecond line',
  isServed: true,
  source: { dataSetId: 1, name: 'Alpha-2', fieldName: 'code #1=x' },
  target: { dataSetId: 2, name: 'Alpha-3', fieldName: 'code' },
};

const COLUMNS = ['sourceValue', 'targetValue', 'confidence', 'status'] as const;
const FORMATS = {
  csv: () => csv<ExchangedMapping>(COLUMNS, (row) => COLUMNS.map((column) => row[column])),
  json: () =>
    json<ExchangedMapping>(({ sourceValue, targetValue, confidence }) => ({ sourceValue, targetValue, confidence })),
  conceptmap: () => conceptMap(URL, crosswalk),
  sssom: () => sssom(URL, crosswalk),
};
const NAMES = Object.keys(FORMATS) as (keyof typeof FORMATS)[];

function writeFile({ head, row, tail }: Format<ExchangedMapping>, rows: readonly ExchangedMapping[]): string {
  const body = rows.map((each, index) => row(each, index === 0)).join('');
  return head + body + (typeof tail === 'string' ? tail : tail(rows.length === 0));
}

const mapping = (sourceValue: string, targetValue: string, more: Partial<ExchangedMapping> = {}): ExchangedMapping => ({
  sourceValue,
  targetValue,
  confidence: 100,
  status: 'DRAFT',
  sourceLabel: null,
  targetLabel: null,
  createdBy: 3,
  approvedBy: null,
  ...more,
});

const DIFFICULT_TEXTS = [
  '007',
  ' x ',
  '=1+1',
  "'=1+1",
  '+49',
  '-1e5',
  '@SUM(A1)',
  'a\tb',
  'a\r\nb',
  'line\nline',
  '"quoted"',
  'a,b;c|d',
  '#not metadata',
  'HP:0009124',
  'https://example.com/x#y=%20',
  '%41',
  'Zürich 東京 🜁',
  '\u00a0nbsp\u2028',
  '[1]',
  '{}',
  '\\',
];
const value = fc
  .oneof(
    fc.constantFrom(...DIFFICULT_TEXTS),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).filter((text) => !text.includes('\0')),
  )
  .map(normaliseText);
const label = fc.option(fc.oneof(fc.constantFrom('', ...DIFFICULT_TEXTS), fc.string()), { nil: null });
const rows = fc
  .uniqueArray(
    fc.record({
      sourceValue: value,
      targetValue: value,
      confidence: fc.oneof(fc.integer({ min: 0, max: 100 }), fc.double({ min: 0, max: 100, noNaN: true })),
      sourceLabel: label,
      targetLabel: label,
      status: fc.constantFrom('DRAFT' as const, 'APPROVED' as const),
    }),
    { selector: (row) => JSON.stringify([row.sourceValue, row.targetValue]), maxLength: 8 },
  )
  .map((generated) =>
    generated
      .map(({ sourceValue, targetValue, ...more }) => mapping(sourceValue, targetValue, more))
      .sort((a, b) => (a.sourceValue < b.sourceValue ? -1 : a.sourceValue > b.sourceValue ? 1 : 0)),
  );

describe.each(NAMES)('%s', (name) => {
  it('reads the mappings that it has written', () => {
    fc.assert(
      fc.property(rows, (generated) => {
        const file = writeFile(FORMATS[name](), generated);
        const parsedFile = readMappings(file);
        expect(parsedFile.format).toBe(name);
        expect(
          parsedFile.mappings.map(({ source, target, confidence, problems }) => [source, target, confidence, problems]),
        ).toEqual(
          generated.map(({ sourceValue, targetValue, confidence }) => [
            { value: sourceValue },
            { value: targetValue },
            // No format keeps the sign of -0.
            confidence + 0,
            [],
          ]),
        );
        // If all generated confidences are small, a CSV file gets the remark on shares of 1.
        expect(parsedFile.remarks.filter((text) => !text.includes('shares of 1'))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a file that is read in chunks', () => {
  it.each(NAMES)('has the same rows as the whole file in %s', (name) => {
    const rows = DIFFICULT_TEXTS.map((value, index) =>
      mapping(value, DIFFICULT_TEXTS.at(-1 - index) ?? 'x', { confidence: index / 2 }),
    );
    const text = `${writeFile(FORMATS[name](), rows)}${' '.repeat(name === 'csv' || name === 'sssom' ? 0 : 40_000)}`;
    const whole = readMappings(text);
    const reader = mappingReader();
    const mappings = Array.from({ length: Math.ceil(text.length / 7) }, (_, piece) => [
      ...reader.push(text.slice(piece * 7, piece * 7 + 7), (piece + 1) * 7 >= text.length),
    ]).flat();
    expect({ mappings, remarks: reader.remarks(), format: reader.format() }).toEqual(whole);
    expect(mappings).toHaveLength(rows.length);
  });
});

describe('a value in another Unicode form', () => {
  it.each(NAMES)('is normalised when it is read from %s', (name) => {
    const file = writeFile(FORMATS[name](), [mapping('cafe\u0301', 'cafe\u0301 noir')]);
    const [read] = readMappings(file).mappings;
    expect([read?.source.value, read?.target.value]).toEqual(['caf\u00e9', 'caf\u00e9 noir']);
  });
});

describe('labels', () => {
  it('have neutralised formulas in SSSOM, and normal spaces in a ConceptMap', () => {
    const mappings = [mapping('DE', 'DEU', { sourceLabel: '=1+1', targetLabel: 'no\u00a0break' })];
    expect(writeFile(FORMATS.sssom(), mappings)).toContain(
      "\nsource:DE\t'=1+1\tskos:exactMatch\ttarget:DEU\tno\u00a0break\t",
    );
    const [element] = JSON.parse(writeFile(FORMATS.conceptmap(), mappings)).group[0].element;
    expect(element).toMatchObject({ display: '=1+1', target: [{ display: 'no break' }] });
  });
});

describe('a confidence as a share', () => {
  it('is written without rounding', () => {
    expect([0, 100, 87.5, 5, 0.5, 1e-7, 33.333333333333336].map(shareOf)).toEqual([
      '0',
      '1',
      '0.875',
      '0.05',
      '0.005',
      '0.000000001',
      '0.33333333333333336',
    ]);
  });
});

describe('an invalid or ambiguous file', () => {
  const problemsIn = (content: string) =>
    readMappings(content).mappings.flatMap(({ row, problems }) =>
      problems.map(({ column, value, rule }) => [row, column, value, rule]),
    );

  it('gives the row, column and value of each problem in CSV', () => {
    expect(problemsIn('From,To,Confidence\r\nDE,DEU,high\r\n,FRA,\r\n\r\nIT,"IT"A,120\r\n')).toEqual([
      [2, 'Confidence', 'high', 'The confidence is not a number from 0 to 100'],
      [3, 'From', '', 'The source value is missing'],
      [5, '', '', 'In this row a quotation mark is closed before the end of its field'],
      [5, 'Confidence', '120', 'The confidence is not a number from 0 to 100'],
    ]);
  });
  it('gives the number, property and value of each problem in JSON', () => {
    expect(
      problemsIn('[{"sourceValue":"DE","targetValue":276},7,{"sourceValue":"FR","targetValue":"FRA","confidence":-1}]'),
    ).toEqual([
      [1, 'targetValue', '276', 'The value is not a text'],
      [2, '', '7', 'This is not a mapping'],
      [3, 'confidence', '-1', 'The confidence is not a number from 0 to 100'],
    ]);
  });
  it('is refused if it has no mappings in the expected structure', () => {
    expect(() => readMappings('{"resourceType":"ValueSet"}')).toThrow('The file holds no list of mappings');
    expect(() => readMappings('[{')).toThrow('The file is not valid JSON');
    expect(() => readMappings('just one column\n1\n')).toThrow('A row needs at least two columns');
    expect(() => readMappings('source,else\n1,2\n')).toThrow('The file has no column targetValue');
    expect(() => readMappings('subject_id\tpredicate_id\n', 'sssom')).toThrow('The table has no column object_id');
    expect(() => readMappings('[]', 'conceptmap')).toThrow('The file is not a ConceptMap');
  });
  it('gets a remark if the confidences may be shares of 1', () => {
    const remarksOn = (...confidences: string[]) =>
      readMappings(
        `from,to,confidence\n${confidences.map((confidence, row) => `s${row},t${row},${confidence}`).join('\n')}`,
      ).remarks;
    expect(remarksOn('0.9', '1', '')).toEqual([expect.stringMatching(/multiply shares of 1 by 100/)]);
    for (const confidences of [
      ['0.9', '90'],
      ['1', '0'],
      ['', '100'],
    ])
      expect(remarksOn(...confidences), confidences.join()).toEqual([]);
  });
  it('is read by the order of the columns if it has no header', () => {
    const { mappings, remarks } = readMappings('DE;DEU;90\nFR;FRA\n');
    expect(mappings.map(({ row, source, confidence }) => [row, source.value, confidence])).toEqual([
      [1, 'DE', 90],
      [2, 'FR', 100],
    ]);
    expect(remarks).toEqual([
      'The first line is not a header: the columns are read as source value, target value and confidence',
    ]);
  });
});

describe('a mapping set of another product', () => {
  const SET = [
    '# mapping_set_id: https://example.org/food.sssom.tsv',
    '# mapping_set_description: Food of a shop, described over',
    '#   more than one line: with a colon',
    '# curie_map:',
    "#   FOOD: 'http://example.org/FOOD_'",
    '#   shop: https://shop.example.org/',
    "# mapping_date: '2022-05-02'",
    'subject_id\tsubject_label\tpredicate_id\tobject_id\tobject_label\tmapping_justification\tpredicate_modifier\tconfidence\tcomment',
    'shop:F001\tapple\tskos:exactMatch\tFOOD:00002473\tapple (whole)\tsemapv:ManualMappingCuration\t\t0.95\t"Only ""whole"" apples\tare there."',
    'shop:F002\tgala\tskos:broadMatch\tFOOD:00002473\tapple\tsemapv:LexicalMatching\t\t\t',
    'shop:F003\tpink\tskos:exactMatch\tsssom:NoTermFound\t\tsemapv:ManualMappingCuration\t\t1.0\t',
    'shop:F004\tpear\tskos:exactMatch\tFOOD:1\t\tsemapv:ManualMappingCuration\tNot\t1.2\t',
    'https://shop.example.org/F005\tplum\tskos:exactMatch\tFOOD:2\t\tsemapv:ManualMappingCuration\t\t1\t',
    '',
  ].join('\n');

  it('has values with and without prefixes, and problems and remarks by row', () => {
    const { format, mappings } = readMappings(SET);
    expect(format).toBe('sssom');
    expect(mappings.map(({ row, source, target, confidence }) => [row, source, target, confidence])).toEqual([
      [9, { value: 'shop:F001', local: 'F001' }, { value: 'FOOD:00002473', local: '00002473' }, 95],
      [10, { value: 'shop:F002', local: 'F002' }, { value: 'FOOD:00002473', local: '00002473' }, 100],
      [11, { value: 'shop:F003', local: 'F003' }, { value: 'sssom:NoTermFound' }, 100],
      [12, { value: 'shop:F004', local: 'F004' }, { value: 'FOOD:1', local: '1' }, 100],
      [13, { value: 'https://shop.example.org/F005' }, { value: 'FOOD:2', local: '2' }, 100],
    ]);
    expect(mappings.map(({ problems }) => problems.map(({ column }) => column))).toEqual([
      [],
      [],
      ['object_id'],
      ['predicate_modifier', 'confidence'],
      [],
    ]);
    expect(mappings[1]?.remarks).toEqual([
      'The predicate “skos:broadMatch” is ignored: the row is imported as an ordinary mapping',
    ]);
  });
});

describe('a ConceptMap of R5', () => {
  it('is read by the property names of R5', () => {
    const map = {
      resourceType: 'ConceptMap',
      group: [
        {
          element: [
            { code: 'a', target: [{ code: 'b', relationship: 'equivalent' }] },
            { code: 'c', noMap: true },
            { code: 'd', target: [{ code: 'e', relationship: 'not-related-to' }] },
            { code: 'f', target: [{ code: 'g', relationship: 'source-is-narrower-than-target' }] },
          ],
        },
      ],
    };
    const { mappings } = readMappings(JSON.stringify(map));
    expect(mappings.map(({ source, target, problems }) => [source.value, target.value, problems.length])).toEqual([
      ['a', 'b', 0],
      ['c', '', 1],
      ['d', 'e', 1],
      ['f', 'g', 0],
    ]);
    expect(mappings[3]?.remarks).toHaveLength(1);
  });
});
