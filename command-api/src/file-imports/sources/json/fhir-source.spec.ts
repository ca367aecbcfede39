import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryBytes, readWhole } from '../fixtures/memory-bytes.ts';
import { profileBytes } from '../profile-file.ts';
import { NestedSplitter } from './nested-splitter.ts';

const read = async (resource: object) => {
  const { format, columns, rows, key, label, notes, preview } = await readWhole(JSON.stringify(resource, null, 1));
  expect(format).toBe('fhir');
  return {
    names: columns.map(({ name }) => name),
    types: columns.map(({ dataType }) => dataType),
    rows,
    key,
    label,
    notes,
    preview,
  };
};

const CODE_SYSTEM = {
  resourceType: 'CodeSystem',
  content: 'complete',
  property: [{ code: 'weight', type: 'decimal' }],
  concept: [
    {
      code: 'A',
      display: 'Alpha',
      definition: 'First, with "quotes" and\nlines',
      designation: [
        { language: 'de', value: 'Älpha' },
        { language: 'de', value: 'Alfa' },
        { use: { code: 'short' }, value: 'α' },
      ],
      property: [
        { code: 'weight', valueDecimal: 1.5 },
        { code: 'display', valueString: 'shown' },
      ],
      concept: [
        { code: 'A1', display: '[1] {', concept: [{ code: 'A11', property: [{ code: 'old', valueBoolean: true }] }] },
        { code: 'A2', property: [{ code: 'like', valueCoding: { system: 'http://x', code: 'A1' } }] },
      ],
    },
    {
      code: 'B',
      property: [
        { code: 'parent', valueCode: 'A' },
        { code: 'old', valueBoolean: false },
      ],
    },
  ],
};

describe('a CodeSystem', () => {
  it('has a record per concept, with parent, designations and properties', async () => {
    const { names, types, rows, key, label, preview } = await read(CODE_SYSTEM);
    expect(names).toEqual([
      ...['code', 'display', 'definition', 'parent', 'display (de)', 'display (short)'],
      ...['weight', 'display (property)', 'old', 'like'],
    ]);
    expect(rows).toEqual([
      ['A', 'Alpha', CODE_SYSTEM.concept[0]?.definition, '', 'Älpha; Alfa', 'α', '1.5', 'shown', '', ''],
      ['A1', '[1] {', '', 'A', '', '', '', '', '', ''],
      ['A11', '', '', 'A1', '', '', '', '', 'true', ''],
      ['A2', '', '', 'A', '', '', '', '', '', 'A1'],
      ['B', '', '', 'A', '', '', '', '', 'false', ''],
    ]);
    expect([types[6], types[8]]).toEqual(['number', 'boolean']);
    expect({ key, label }).toEqual({ key: [0], label: 1 });
    expect(preview.map(({ place }) => place)).toEqual([1, 2, 3, 4, 5].map((number) => `concept ${number}`));
  });

  it('has the same codes and parents if the order of all members is reversed', async () => {
    const reverseKeys = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reverseKeys);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, each]) => [key, reverseKeys(each)]),
      );
    };
    const original = await read(CODE_SYSTEM);
    expect((await read(reverseKeys(CODE_SYSTEM) as object)).rows.map(([code]) => code)).toEqual(
      original.rows.map(([code]) => code),
    );
    expect((await read(reverseKeys(CODE_SYSTEM) as object)).rows.map((row) => row[3])).toEqual(
      original.rows.map((row) => row[3]),
    );
  });

  it('has one malformed record for each concept that cannot be read', async () => {
    const text = `{"resourceType":"CodeSystem","concept":[{"code":"A"},{"code":"B",},{"code":"C","concept":[{"code":"D"}]}]}`;
    const { sourceRecords } = await readWhole(text);
    expect(sourceRecords.map(({ line, fields: [code], malformed }) => [line, code, malformed !== null])).toEqual([
      [1, 'A', false],
      [2, '', true],
      [3, 'C', false],
      [4, 'D', false],
    ]);
  });

  it('has a note if its content is a fragment', async () => {
    const { notes } = await read({ ...CODE_SYSTEM, content: 'fragment' });
    expect(notes).toEqual(['The CodeSystem is marked "fragment": it lists a part of its concepts.']);
  });
});

describe('a ValueSet', () => {
  const compose = {
    include: [
      { system: 'http://a', concept: [{ code: '1', display: 'One' }, { code: '2' }] },
      { system: 'http://b', concept: [{ code: '3', designation: [{ language: 'de', value: 'Drei' }] }] },
    ],
  };

  it('has the included concepts, and a key with the system if there are several systems', async () => {
    const { names, rows, key } = await read({ resourceType: 'ValueSet', compose });
    expect(names).toEqual(['system', 'code', 'display', 'display (de)']);
    expect(rows).toEqual([
      ['http://a', '1', 'One', ''],
      ['http://a', '2', '', ''],
      ['http://b', '3', '', 'Drei'],
    ]);
    expect(key).toEqual([0, 1]);
    expect((await read({ resourceType: 'ValueSet', compose: { include: compose.include.slice(0, 1) } })).key).toEqual([
      1,
    ]);
  });

  it('has the codes of its expansion without the headings', async () => {
    const contains = [
      {
        abstract: true,
        display: 'Heading',
        contains: [{ system: 'http://a', code: '1', contains: [{ system: 'http://a', code: '1.1' }] }],
      },
    ];
    const { names, rows, notes } = await read({ resourceType: 'ValueSet', compose, expansion: { total: 5, contains } });
    expect(names).toEqual(['system', 'code', 'parent']);
    expect(rows).toEqual([
      ['http://a', '1', ''],
      ['http://a', '1.1', '1'],
    ]);
    expect(notes).toEqual(['The expansion lists 2 of 5 codes: expand the ValueSet as a whole to import all.']);
  });

  it.each([
    ['includes', { include: [...compose.include, { system: 'http://c' }] }],
    ['excludes', { ...compose, exclude: [{ system: 'http://c' }] }],
  ])('has a note if it %s codes that it does not list', async (_, rules) => {
    const { notes } = await read({ resourceType: 'ValueSet', compose: rules });
    expect(notes).toEqual([
      'The ValueSet also includes or excludes codes that it does not list: expand it to import exactly its codes.',
    ]);
  });
});

it.each([
  [
    { resourceType: 'ValueSet', compose: { include: [{ system: 'http://a' }] } },
    'This ValueSet lists no codes: expand it first.',
  ],
  [
    { resourceType: 'CodeSystem', content: 'not-present' },
    'This CodeSystem lists no concepts: export it with its concepts.',
  ],
  [{ resourceType: 'ConceptMap', group: [] }, 'A FHIR ConceptMap contains mappings, not rows: open the crosswalk'],
])('refuses %j', async (resource, message) => {
  await expect(profileBytes(memoryBytes(JSON.stringify(resource)), {})).rejects.toThrow(message);
});

it.each([
  ['{"resourceType":"CodeSystem","concept":[{"code":"A"}', 'The file is incomplete: upload it again.'],
  [
    '{"resourceType":"CodeSystem","concept":[{"code":"A"} {"code":"B"}]}',
    'something other than objects between commas',
  ],
  ['{"resourceType":"CodeSystem","concept":[{"code":"A"}]]', 'a "]" has no opening bracket'],
  ['{"resourceType":"CodeSystem","concept":[{"code":"A"}]} x', 'text follows the end of the document'],
  ['{"resourceType":"CodeSystem",,"concept":[{"code":"A"}]}', 'a value outside its lists of codes cannot be read'],
  [`{"resourceType":"CodeSystem","x":${'['.repeat(2_000)}`, 'nested more than 1,000 times'],
  [
    `{"resourceType":"CodeSystem","concept":[${Array.from({ length: 1_001 }, (_, at) => `{"code":"${at}","property":[{"code":"p${at}","valueCode":"x"}]}`)}]}`,
    'Concept 1,000 has 1,001 columns; at most 1,000 can be imported.',
  ],
])('refuses a file with the message $1', async (text, message) => {
  await expect(profileBytes(memoryBytes(text), {})).rejects.toThrow(message);
});

it('splits a document that is read in pieces of any size into its concepts', () => {
  const concept = fc.letrec((tie) => ({
    concept: fc.record(
      {
        code: fc.string(),
        property: fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 2 }),
        concept: fc.array(tie('concept'), { maxLength: 3 }),
      },
      { requiredKeys: ['code'] },
    ),
  })).concept as fc.Arbitrary<{ code: string; concept?: unknown[] }>;
  const flatten = (list: readonly unknown[]): unknown[] =>
    list.flatMap((each) => {
      const { concept: nested, ...rest } = each as { concept?: unknown[] };
      return [{ ...rest, ...(nested ? { concept: [] } : {}) }, ...flatten(nested ?? [])];
    });
  fc.assert(
    fc.property(fc.array(concept, { maxLength: 4 }), fc.integer({ min: 1, max: 20 }), (list, size) => {
      const text = JSON.stringify({ a: { concept: [1] }, concept: list }, null, 1);
      const splitter = new NestedSplitter(new Set(['concept']));
      const objects = [];
      for (let at = 0; at < text.length; at += size) objects.push(...splitter.push(text.slice(at, at + size)));
      expect(objects.map((each) => JSON.parse(each.text))).toEqual(JSON.parse(JSON.stringify(flatten(list))));
      expect(JSON.parse(splitter.end().text)).toEqual({ a: { concept: [1] }, concept: [] });
    }),
    { numRuns: 50 },
  );
});
