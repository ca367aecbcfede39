import { describe, expect, it } from 'vitest';
import { foldText } from './text.ts';

describe('a folded text', () => {
  it.each([
    ['has no accents', 'Confédération', 'confederation'],
    ['has plain characters instead of full-width ones', 'Ａ１％', 'a1%'],
    ['keeps marks that change the letter', '\u0915\u093f', '\u0915\u093f'],
  ])('%s', (_, text, folded) => {
    expect(foldText(text)).toBe(folded);
  });
});
