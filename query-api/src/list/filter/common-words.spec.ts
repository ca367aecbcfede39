/** Tests which words of a needle an index search leaves out, and that the search still finds every match. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commonWords, rarePattern } from './common-words.ts';

const common = commonWords([
  { text: 'Name of 4711', share: 0.5 },
  { text: 'name OF 4712, the name', share: 0.3 },
  { text: 'Other', share: 0.2 },
]);

describe('common words', () => {
  it('are the words that at least a quarter of the texts contain, ignoring case', () => {
    expect([...common].sort()).toEqual(['4711', '4712', 'name', 'of', 'the']);
    expect([...commonWords([{ text: 'a b', share: 0.2 }])]).toEqual([]);
  });

  it.each([
    ['name of 815', '%% % 815%'],
    // The first and the last word of a needle can be parts of longer words; the words between are whole.
    ['ame of 815', '%% % 815%'],
    ['815 ame of', '%815 ame %%'],
    ['815 nam', '%815 %%'],
    ['100%_ of the', '%100\\%\\_ % %%'],
  ])('are left out of %j', (needle, pattern) => expect(rarePattern(needle, common)).toBe(pattern));

  // These needles have no common word, or have no rare word that is long enough for the index.
  it.each(['', '815', 'name of', 'of 42', 'of', '%', 'other'])('are not left out of %j', (needle) =>
    expect(rarePattern(needle, common)).toBeUndefined(),
  );

  it('are left out without losing a text that contains the needle', () => {
    const word = fc.constantFrom('name', 'of', 'the', 'Berlin', 'a%c', 'x_yz', 'back\\slash', '4711', 'ß');
    const texts = fc.array(fc.tuple(word, fc.constantFrom(' ', ', ', '-', '')), { maxLength: 6 });
    const written = texts.map((parts) => parts.flat().join(''));
    fc.assert(
      fc.property(written, fc.nat(), fc.nat(), (text, from, length) => {
        const needle = text.slice(from % (text.length + 1)).slice(0, length % (text.length + 1));
        const pattern = rarePattern(needle, common);
        fc.pre(pattern !== undefined);
        expect(text).toMatch(likeAsRegex(pattern ?? ''));
      }),
    );
  });
});

/** Converts a LIKE pattern of PostgreSQL to a regular expression. */
function likeAsRegex(pattern: string): RegExp {
  const source = pattern.replace(/\\(.)|%|_|[$()*+./?[\]^{|}-]/gs, (part, escaped: string | undefined) => {
    if (escaped !== undefined) return `\\u{${escaped.codePointAt(0)?.toString(16)}}`;
    if (part === '%') return '.*';
    return part === '_' ? '.' : `\\u{${part.codePointAt(0)?.toString(16)}}`;
  });
  return new RegExp(`^${source}$`, 'su');
}
