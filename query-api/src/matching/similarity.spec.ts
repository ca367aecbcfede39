/** Tests the folding and comparison of texts, and the candidates for a source value. */
import fc from 'fast-check';
import countries from 'i18n-iso-countries';
import { describe, expect, it } from 'vitest';
import { indexTargets, type LabelledValue } from './candidates.ts';
import { describeDifferences, foldedWords, trigramSimilarity } from './similarity.ts';

const labelled = (value: string, label: string | null = null): LabelledValue => ({ value, label });
const best = (targets: LabelledValue[], source: LabelledValue, threshold = 0) =>
  indexTargets(targets).suggest(source, threshold)[0];

describe('folding a text into words', () => {
  it('folds case, accents, punctuation and spaces', () => {
    expect(foldedWords("  Côte\u00a0d'Ivoire ")).toEqual(['cote', 'd', 'ivoire']);
    expect(foldedWords('STRAẞE')).toEqual(foldedWords('strasse'));
    expect(foldedWords('İstanbul')).toEqual(['istanbul']);
    expect(foldedWords('Trinidad & Tobago')).toEqual(foldedWords('trinidad AND tobago'));
  });
  it('keeps leading zeros, symbols and other scripts', () => {
    expect(foldedWords('004')).toEqual(['004']);
    expect(foldedWords('€')).not.toEqual(foldedWords('$'));
    expect(foldedWords('日本')).toEqual(['日本']);
    expect(foldedWords('हिन्दी')).not.toEqual(foldedWords('हनद'));
  });
  it('does not change a folded text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const words = foldedWords(text);
        expect(foldedWords(words.join(' '))).toEqual(words);
      }),
    );
  });
});

describe('the differences of two texts', () => {
  it('are described', () => {
    expect(describeDifferences('germany', 'GERMANY')).toBe('case');
    expect(describeDifferences('Reunion', 'Réunion')).toBe('accents');
    expect(describeDifferences('cote d ivoire', "Côte d'Ivoire")).toBe('case, accents and punctuation');
    expect(describeDifferences('New York', 'NewYork')).toBe('spaces');
  });
});

describe('similarity of two texts', () => {
  const texts = fc.string({ maxLength: 30 });
  it('lies between 0 and 1, and is symmetric', () => {
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        const similarity = trigramSimilarity(a, b);
        expect(similarity).toBeGreaterThanOrEqual(0);
        expect(similarity).toBeLessThanOrEqual(1);
        expect(trigramSimilarity(b, a)).toBe(similarity);
      }),
    );
  });
  it('is 1 for texts that differ only in case', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z][a-z ]{0,20}$/), (text) => {
        expect(trigramSimilarity(text, text.toUpperCase())).toBe(1);
      }),
    );
  });
});

describe('candidates for a source value', () => {
  const targets = [
    labelled('DEU', 'Germany'),
    labelled('DNK', 'Denmark'),
    labelled('CIV', "Côte d'Ivoire"),
    labelled('BOL', 'Bolivia (Plurinational State of)'),
    labelled('KOR', 'Korea, Republic of'),
  ];
  it('match codes by the labels of both rows', () => {
    expect(best(targets, labelled('DE', 'Germany'))).toEqual({
      targetValue: 'DEU',
      targetLabel: 'Germany',
      confidence: 90,
      reason: 'Both are labelled “Germany”',
    });
  });
  it('begin with the target that has the same value as the source', () => {
    expect(best([labelled('A', 'B'), labelled('B', 'A')], labelled('A', 'A'))).toMatchObject({
      targetValue: 'A',
      confidence: 100,
    });
  });
  it('describe the differences of texts that are equal after folding', () => {
    expect(best([labelled('usd')], labelled('USD'))).toMatchObject({
      confidence: 95,
      reason: 'Same value apart from case',
    });
    expect(best(targets, labelled('CI', 'Cote d’Ivoire'))).toMatchObject({
      targetValue: 'CIV',
      confidence: 85,
      reason: "Both are labelled “Côte d'Ivoire”, apart from accents and punctuation",
    });
  });
  it('match a source value with a target label, and a source label with a target value', () => {
    expect(best(targets, labelled('Germany'))).toMatchObject({
      targetValue: 'DEU',
      reason: 'The target is labelled “Germany”',
    });
    expect(best([labelled('Germany')], labelled('DE', 'Germany'))).toMatchObject({
      targetValue: 'Germany',
      confidence: 90,
    });
  });
  it('match misspelt, shortened and reordered texts', () => {
    expect(best(targets, labelled('x1', 'Germny'), 40)).toMatchObject({ targetValue: 'DEU' });
    expect(best(targets, labelled('x2', 'Bolivia'), 40)).toMatchObject({
      targetValue: 'BOL',
      reason: 'The source label “Bolivia” is contained in the target label “Bolivia (Plurinational State of)”',
    });
    expect(best([labelled('SDN', 'Sudan')], labelled('South Sudan'), 40)).toMatchObject({
      reason: 'The target label “Sudan” is contained in the source value “South Sudan”',
    });
    expect(best(targets, labelled('x3', 'Republic of Korea'), 40)).toMatchObject({
      targetValue: 'KOR',
      confidence: 84,
    });
  });
  it('have a clearly lower confidence if the names have different numbers', () => {
    const plants = indexTargets([1, 2, 16].map((number) => labelled(`Hans Meyer Logistik GmbH ${number}`)));
    const [first, second] = plants.suggest(labelled('Hans Meyer Logistik 016'), 0);
    expect(first).toMatchObject({ targetValue: 'Hans Meyer Logistik GmbH 16' });
    expect(second?.confidence).toBeLessThan((first?.confidence ?? 0) - 25);
    expect(second?.reason).toMatch(/, with another number$/);
    // The confidence is not lowered if one of the names has no number, or if the values are codes.
    expect(
      best([labelled('Hans Meyer Logistik GmbH 1')], labelled('Hans Meyer Logistik GmbH'))?.confidence,
    ).toBeGreaterThan(60);
    expect(best([labelled('620100')], labelled('62010'))?.confidence).toBeGreaterThan(60);
  });
  it('include a target with a similar short code only if the labels do not differ', () => {
    expect(best([labelled('DEN', 'Denmark')], labelled('DE', 'Germany'), 40)).toBeUndefined();
    expect(best([labelled('DEU')], labelled('DE'), 40)).toMatchObject({ targetValue: 'DEU', confidence: 40 });
  });
  it('have a lower confidence if several targets match equally', () => {
    const two = [labelled('COD', 'Congo'), labelled('COG', 'Congo')];
    expect(indexTargets(two).suggest(labelled('COGX', 'Congo'), 0)).toEqual([
      expect.objectContaining({
        targetValue: 'COG',
        confidence: 60,
        reason: 'Both are labelled “Congo”; another target is as close',
      }),
      expect.objectContaining({ targetValue: 'COD', confidence: 60 }),
    ]);
  });
  it('are at or above the threshold, at most five, distinct, and sorted by confidence', () => {
    const targetRows = fc.array(
      fc.record({ value: fc.string({ minLength: 1, maxLength: 8 }), label: fc.option(fc.string()) }),
      {
        maxLength: 30,
      },
    );
    fc.assert(
      fc.property(
        targetRows,
        fc.string({ minLength: 1, maxLength: 8 }),
        fc.integer({ min: 0, max: 100 }),
        (rows, value, threshold) => {
          const distinct = [...new Map(rows.map((row) => [row.value, row])).values()];
          const candidates = indexTargets(distinct).suggest(labelled(value, 'label'), threshold);
          const confidences = candidates.map((candidate) => candidate.confidence);
          expect(candidates.length).toBeLessThanOrEqual(5);
          expect(new Set(candidates.map((candidate) => candidate.targetValue)).size).toBe(candidates.length);
          expect(confidences).toEqual([...confidences].sort((a, b) => b - a));
          for (const confidence of confidences) {
            expect(confidence).toBeGreaterThanOrEqual(threshold);
            expect(confidence).toBeLessThanOrEqual(100);
          }
          if (distinct.some((row) => row.value === value)) expect(candidates[0]).toMatchObject({ targetValue: value });
        },
      ),
    );
  });
  it('map more than 94 % of the countries of two lists by name', () => {
    const display = new Intl.DisplayNames(['en'], { type: 'region' });
    const official = Object.entries(countries.getNames('en', { select: 'official' }));
    const index = indexTargets(
      official.map(([alpha2, name]) => labelled(countries.alpha2ToAlpha3(alpha2) as string, name)),
    );
    const wrong = official.filter(([alpha2]) => {
      const [first] = index.suggest(labelled(alpha2, display.of(alpha2) ?? null), 40);
      return first?.targetValue !== countries.alpha2ToAlpha3(alpha2);
    });
    expect(wrong.length / official.length, wrong.join(' ')).toBeLessThan(0.06);
  });
});

describe('dismissed targets', () => {
  const text = fc.constantFrom('Congo', 'congo', 'Kongo', 'Republic of Congo', 'Cape Verde', 'Cabo Verde', 'CV', 'x');
  const row = fc.record({ value: text, label: fc.option(text) });
  const setup = fc.record({
    targets: fc.uniqueArray(row, { selector: ({ value }) => value, maxLength: 8 }),
    source: row,
    threshold: fc.integer({ min: 0, max: 100 }),
    priorMappings: fc.array(fc.record({ targetValue: text, crosswalk: fc.constant('Another') }), { maxLength: 3 }),
  });

  it('are never candidates, and do not lower the confidence of other targets', () => {
    fc.assert(
      fc.property(setup, fc.array(text), ({ targets, source, threshold, priorMappings }, dismissedValues) => {
        const index = indexTargets(targets);
        const dismissed = new Set<string>(dismissedValues);
        const undismissed = index.suggest(source, threshold, { priorMappings });
        const candidates = index.suggest(source, threshold, { priorMappings, dismissed });
        const confidenceByTarget = new Map(candidates.map(({ targetValue, confidence }) => [targetValue, confidence]));
        for (const value of dismissedValues) expect(confidenceByTarget.has(value)).toBe(false);
        // A target that is not dismissed can be missing only if five candidates have at least its confidence.
        const lowestOfFive = candidates.length < 5 ? -1 : (candidates.at(-1)?.confidence ?? -1);
        for (const { targetValue, confidence } of undismissed) {
          if (dismissed.has(targetValue)) continue;
          const newConfidence = confidenceByTarget.get(targetValue);
          if (newConfidence === undefined) expect(confidence).toBeLessThanOrEqual(lowestOfFive);
          else expect(newConfidence).toBeGreaterThanOrEqual(confidence);
        }
        const [best] = index.best(source, threshold, { priorMappings, dismissed });
        expect(best?.confidence).toBe(candidates[0]?.confidence);
      }),
    );
  });
  it('change nothing if no target has the dismissed value', () => {
    fc.assert(
      fc.property(setup, ({ targets, source, threshold, priorMappings }) => {
        const index = indexTargets(targets);
        const dismissed = new Set(['something else']);
        expect(index.suggest(source, threshold, { priorMappings, dismissed })).toEqual(
          index.suggest(source, threshold, { priorMappings }),
        );
      }),
    );
  });
});
