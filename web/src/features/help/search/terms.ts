/** Converts the words of texts and queries to terms of the index. */
import { stemmer } from 'stemmer';

/**
 * Words that `termOf` omits because they do not describe the subject of a question, and the parts of contractions such
 * as “didn't” and “you'll”.
 */
const QUESTION_WORDS = new Set(
  'a an and are at be been by can could do does for from get has have how i in is it like me my of on or our should that the them there they this to us was we were what when where which why will with would you your couldn d didn doesn don isn ll m re s ve won wouldn'.split(
    ' ',
  ),
);

/** The term for the ending “t” of “can’t” and “don’t”, so that questions about refused actions find the reasons. */
const CANNOT = 'cannot';

/** The stem of a word in lower case and without accents; null for a word that is omitted. */
export function termOf(word: string): string | null {
  const plain = word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  if (plain === 't') return CANNOT;
  return plain === '' || QUESTION_WORDS.has(plain) ? null : stemmer(plain);
}
