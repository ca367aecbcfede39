/**
 * Tests candidates for some values and for whole data sets: synonyms, mappings of other crosswalks, ambiguous and
 * dismissed candidates, progress, and cached results.
 */
import { describe, expect, it } from 'vitest';
import { createMatching, type Question } from './matching.ts';
import type { Statement } from './matching-inputs.ts';

type Row = { value: string; label?: string; synonyms?: string };
type Rows = Record<string, unknown[]>;
const row = ({ value, label, synonyms }: Row) => ({ value, label: label ?? null, synonyms: synonyms ?? null });
const cachedStatement = (key: string) => ({ key, statement: { text: key, values: [] } });

/** Creates a `Matching` that reads the rows by the text of a statement; `reads` lists the texts of the statements. */
function matchingOn(rows: Rows, timeoutMs?: number) {
  const reads: string[] = [];
  const read = async ({ text }: Statement) => {
    reads.push(text);
    return rows[text] ?? [];
  };
  return { matching: createMatching(read, timeoutMs), reads, rows };
}

/** Returns a question about all values of `sources`. */
const all = (more: Partial<Question['about'] & { kind: 'all' }> = {}, question: Partial<Question> = {}) =>
  ({
    targets: cachedStatement('targets'),
    threshold: 40,
    ...question,
    about: {
      kind: 'all' as const,
      subject: 'crosswalk 1',
      sources: cachedStatement('sources'),
      list: cachedStatement('list'),
      minConfidence: 40,
      excludesAmbiguous: false,
      isSortedByConfidence: false,
      page: 1,
      pageSize: 50,
      ...more,
    },
  }) satisfies Question;
const listOf = (values: string[]) => values.map((sourceValue, id) => ({ id, sourceValue, sourceLabel: null }));

describe('candidates', () => {
  it('are found by synonyms of either side', async () => {
    const { matching } = matchingOn({
      targets: [row({ value: 'NLD', label: 'Netherlands', synonyms: 'Holland; Nederland' })],
    });
    const { candidates } = await matching.answer({
      targets: cachedStatement('targets'),
      threshold: 40,
      about: {
        kind: 'some',
        sources: [
          { value: 'Holland', label: null },
          { value: 'x', label: 'nederland' },
          { value: 'y', label: null, synonyms: ['Netherlands'] },
        ],
      },
    });
    expect(candidates.map(([best]) => [best?.targetValue, best?.confidence, best?.reason])).toEqual([
      ['NLD', 88, 'The target is also called “Holland”'],
      ['NLD', 86, 'The target is also called “Nederland”, apart from case'],
      ['NLD', 88, 'The source is also called “Netherlands”'],
    ]);
  });
  it('are taken from other crosswalks, with a low confidence if the crosswalks contradict each other', async () => {
    const { matching } = matchingOn({
      targets: [row({ value: 'DEU' }), row({ value: 'FRA' })],
      priorMappings: [
        { value: '49', targetValue: 'DEU', crosswalk: 'Dialling codes' },
        { value: '33', targetValue: 'FRA', crosswalk: 'Dialling codes' },
        { value: '33', targetValue: 'DEU', crosswalk: 'Departments' },
        { value: '1', targetValue: 'gone', crosswalk: 'Dialling codes' },
      ],
    });
    const { candidates } = await matching.answer({
      targets: cachedStatement('targets'),
      priorMappings: cachedStatement('priorMappings'),
      threshold: 40,
      about: { kind: 'some', sources: ['49', '33', '1'].map((value) => ({ value, label: null })) },
    });
    expect(candidates[0]).toEqual([
      { targetValue: 'DEU', targetLabel: null, confidence: 92, reason: 'Mapped like this in “Dialling codes”' },
    ]);
    expect(candidates[1]?.map(({ confidence }) => confidence)).toEqual([60, 60]);
    expect(candidates[2]).toEqual([]);
  });
});

describe('candidates for a whole data set', () => {
  const targets = [
    row({ value: 'DEU', label: 'Germany' }),
    row({ value: 'FRA', label: 'France' }),
    row({ value: 'COG', label: 'Congo' }),
    row({ value: 'COD', label: 'Congo' }),
  ];
  const sources = [
    row({ value: 'de', label: 'Germany' }),
    row({ value: 'fr', label: 'Francee' }),
    row({ value: 'cg', label: 'Congo' }),
  ];

  it('are computed once, listed as requested, and computed again after a change', async () => {
    const { matching, reads, rows } = matchingOn({ targets, sources, list: listOf(['cg', 'de', 'fr']) });
    const first = await matching.answer(all());
    expect(first.items.map(({ sourceValue }) => sourceValue)).toEqual(['cg', 'de', 'fr']);
    expect(first).toMatchObject({ total: 3, bounded: false, progress: null });
    const second = await matching.answer(all({ page: 2, pageSize: 1, isSortedByConfidence: true }));
    expect(second).toMatchObject({ total: 3, items: [{ sourceValue: 'fr' }] });
    expect(reads).toEqual(['targets', 'sources', 'list']);
    rows['list after mapping'] = listOf(['fr']);
    expect((await matching.answer(all({ list: cachedStatement('list after mapping') }))).total).toBe(1);
    expect(reads.filter((text) => text === 'sources')).toHaveLength(1);
    rows['sources again'] = [row({ value: 'fr', label: 'France' })];
    const third = await matching.answer(
      all({ sources: cachedStatement('sources again'), list: cachedStatement('list after mapping') }),
    );
    expect(third.items[0]?.candidates[0]).toMatchObject({ targetValue: 'FRA', confidence: 90 });
  });
  it('exclude ambiguous values on request, and count them', async () => {
    const { matching } = matchingOn({ targets, sources, list: listOf(['cg', 'de', 'fr']) });
    const unambiguous = await matching.answer(all({ excludesAmbiguous: true }));
    expect(unambiguous.items.map(({ sourceValue }) => sourceValue)).toEqual(['de', 'fr']);
    expect(unambiguous.ambiguous).toEqual({ total: 1, examples: ['cg'] });
    expect((await matching.answer(all({ excludesAmbiguous: true, minConfidence: 90 }))).items).toHaveLength(1);
  });
  it('are returned in part with the progress until they are complete', async () => {
    const many = Array.from({ length: 5_000 }, (_, place) =>
      row({ value: `s${place}`, label: `Place number ${place}` }),
    );
    const { matching } = matchingOn({ targets: many, sources: many, list: listOf(many.map(({ value }) => value)) }, 0);
    const totals: number[] = [];
    for (;;) {
      const { total, progress } = await matching.answer(all());
      totals.push(total);
      if (progress === null) break;
      expect(progress.done).toBeLessThanOrEqual(5_000);
    }
    expect(totals.length).toBeGreaterThan(1);
    expect(totals).toEqual(totals.toSorted((a, b) => a - b));
    expect(totals.at(-1)).toBe(5_000);
    await matching.close();
  });
  it('do not delay questions about single values', async () => {
    const many = Array.from({ length: 5_000 }, (_, place) =>
      row({ value: `s${place}`, label: `Place number ${place}` }),
    );
    const { matching } = matchingOn({ targets: many, sources: many, list: [] }, 0);
    expect((await matching.answer(all())).progress).not.toBeNull();
    const about = { kind: 'some' as const, sources: [{ value: 's7', label: null }] };
    const { candidates } = await matching.answer({ targets: cachedStatement('targets'), threshold: 40, about });
    expect(candidates[0]?.[0]).toMatchObject({ targetValue: 's7', confidence: 100 });
    expect((await matching.answer(all())).progress).not.toBeNull();
    await matching.close();
  });
});

describe('dismissed pairs', () => {
  const targets = [
    row({ value: 'DEU', label: 'Germany' }),
    row({ value: 'DDR', label: 'Germany' }),
    row({ value: 'FRA', label: 'France' }),
  ];
  const sources = [row({ value: 'de', label: 'Germany' }), row({ value: 'fr', label: 'France' })];
  const dismissed = { value: 'de', targetValue: 'DDR' };
  const pairs = async (matching: ReturnType<typeof matchingOn>['matching'], question: Partial<Question> = {}) =>
    (await matching.answer(all({}, question))).items.map(
      ({ sourceValue, candidates: [best] }) => `${sourceValue} → ${best?.targetValue} ${best?.confidence}`,
    );

  it('do not make the remaining candidate ambiguous', async () => {
    const { matching } = matchingOn({ targets, dismissed: [dismissed] });
    const answerQuestion = (question: Partial<Question>) =>
      matching.answer({
        targets: cachedStatement('targets'),
        threshold: 40,
        ...question,
        about: { kind: 'some', sources: [{ value: 'de', label: 'Germany' }] },
      });
    expect(
      (await answerQuestion({})).candidates[0]?.map(({ targetValue, confidence }) => [targetValue, confidence]),
    ).toEqual([
      ['DEU', 60],
      ['DDR', 60],
    ]);
    expect((await answerQuestion({ dismissed: cachedStatement('dismissed') })).candidates[0]).toMatchObject([
      { targetValue: 'DEU', confidence: 90 },
    ]);
  });
  it('are replaced by the next candidate without reading the sources again', async () => {
    const { matching, reads } = matchingOn({
      targets,
      sources,
      list: listOf(['de', 'fr']),
      'one dismissed': [dismissed],
      'both dismissed': [dismissed, { value: 'de', targetValue: 'DEU' }],
    });
    expect(await pairs(matching)).toEqual(['de → DEU 60', 'fr → FRA 90']);
    expect(await pairs(matching, { dismissed: cachedStatement('one dismissed') })).toEqual([
      'de → DEU 90',
      'fr → FRA 90',
    ]);
    expect(await pairs(matching, { dismissed: cachedStatement('both dismissed') })).toEqual(['fr → FRA 90']);
    expect(await pairs(matching)).toEqual(['de → DEU 60', 'fr → FRA 90']);
    // Sources, targets and the list were read only once.
    expect(reads).toEqual(['targets', 'sources', 'list', 'one dismissed', 'both dismissed']);
  });
  it('disappear before their replacements are computed', async () => {
    const many = Array.from({ length: 3_000 }, (_, place) =>
      row({ value: `s${place}`, label: `Place number n${place}` }),
    );
    const { matching } = matchingOn(
      {
        targets: many,
        sources: many,
        list: listOf(many.map(({ value }) => value)),
        dismissed: many.map(({ value }) => ({ value, targetValue: value })),
      },
      0,
    );
    while ((await matching.answer(all())).progress !== null);
    const question = { dismissed: cachedStatement('dismissed') };
    for (;;) {
      const { items, progress } = await matching.answer(all({ pageSize: 3_000 }, question));
      expect(items.filter(({ sourceValue, candidates: [best] }) => sourceValue === best?.targetValue)).toEqual([]);
      if (progress === null) {
        expect(items).toHaveLength(3_000);
        break;
      }
      expect(progress.done).toBeLessThan(3_000);
    }
    await matching.close();
  });
});
