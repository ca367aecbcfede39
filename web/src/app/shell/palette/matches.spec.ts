/** Tests which names match a typed text. */
import { describe, expect, it } from 'vitest';
import { bestMatches, matchesQuery } from './matches.ts';

const names = (query: string, ...items: [string, ...string[]][]) =>
  bestMatches(query, items, (item) => item).map(([name]) => name);

describe('bestMatches', () => {
  it('distinguishes words that differ only in a vowel sign', () => {
    expect(names('\u0915\u093f', ['\u0915\u093f'], ['\u0915'])).toEqual(['\u0915\u093f']);
    expect(matchesQuery('\u0915\u093f', '\u0915')).toBe(false);
  });

  it('compares the beginnings of words, in any order, in the name and the keywords', () => {
    const items: [string, ...string[]][] = [
      ['Create a data set', 'new', 'code list'],
      ['Crosswalks'],
      ['Debug schemas'],
    ];
    expect(names('data cre', ...items)).toEqual(['Create a data set']);
    expect(names('list', ...items)).toEqual(['Create a data set']);
    expect(names('walks', ...items)).toEqual([]);
    expect(names('', ...items)).toHaveLength(3);
  });

  it('lists first the names that begin with the text', () => {
    expect(names('mon', ['Open the monitor'], ['Monitor'])).toEqual(['Monitor', 'Open the monitor']);
  });
});

describe('matchesQuery', () => {
  it('ignores case, accents and the order of words', () => {
    expect(matchesQuery('IVOIRE cote', 'CI', 'Côte d’Ivoire')).toBe(true);
    expect(matchesQuery('ivoire cote x', 'CI', 'Côte d’Ivoire')).toBe(false);
    expect(matchesQuery('ci', 'CI', null)).toBe(true);
  });
});
