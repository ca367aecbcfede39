/** Determines from one number which characters separate decimals and thousands. */

export interface NumberNotation {
  /** The decimal separator; empty if none is certain. */
  decimal: '' | '.' | ',';
  /**
   * The separator of thousands; empty if none is certain. `' '` represents all white space, and `"'"` also the
   * typographic apostrophe.
   */
  group: '' | '.' | ',' | ' ' | "'";
  /** The separator if it can separate decimals or thousands, as in "1,234"; empty for other numbers. */
  ambiguousSeparator: '' | '.' | ',';
}

const PLAIN = /^[+-]?\d+$/;
/** Captures the number without sign and exponent, and the sign of the exponent. */
const NUMBER_LIKE = /^[+-]?((?:\d[\d.,\s'\u2019]*)?\d[.,]?|[.,]\d+)(?:[eE]([+-]?)\d+)?$/;
const SEPARATORS = /[^\d]/g;
const SEPARATED_BY_THREES = /^\d{1,3}(?:\D\d{3})+$/;

const notations = new Map<string, NumberNotation>();
/** Returns the same object for equal notations, so that notations can be counted by identity. */
function notation(decimal: string, group: string, ambiguousSeparator: string): NumberNotation {
  const id = `${decimal}|${group}|${ambiguousSeparator}`;
  const existing = notations.get(id);
  if (existing) return existing;
  const added = { decimal, group, ambiguousSeparator } as NumberNotation;
  notations.set(id, added);
  return added;
}
const NO_SEPARATORS = notation('', '', '');

const groupName = (separator: string): string =>
  separator === '\u2019' ? "'" : /\s/.test(separator) ? ' ' : separator;

/** Returns the notation of a number; undefined for other texts. */
export function numberNotation(text: string): NumberNotation | undefined {
  if (PLAIN.test(text)) return NO_SEPARATORS;
  const [, mantissa, exponentSign] = NUMBER_LIKE.exec(text) ?? [];
  if (mantissa === undefined) return undefined;
  const separators = mantissa.match(SEPARATORS) ?? [];
  // A text like "9e42" is more often a code than a number.
  if (exponentSign === '' && separators.length === 0) return undefined;
  const last = separators.at(-1);
  if (last === undefined) return NO_SEPARATORS;
  const isPoint = last === '.' || last === ',';
  const occurrences = separators.filter((each) => each === last).length;
  const at = mantissa.lastIndexOf(last);
  const [before, after] = [mantissa.slice(0, at), mantissa.slice(at + 1)];
  if (occurrences === separators.length && (occurrences > 1 || !isPoint)) {
    return SEPARATED_BY_THREES.test(mantissa) ? notation('', groupName(last), '') : undefined;
  }
  if (!isPoint || occurrences > 1) return undefined;
  if (separators.length === 1) {
    const isAmbiguous = after.length === 3 && /^[1-9]\d{0,2}$/.test(before) && exponentSign === undefined;
    return isAmbiguous ? notation('', '', last) : notation(last, '', '');
  }
  const [group] = separators;
  const isGrouped = separators.slice(0, -1).every((each) => each === group) && SEPARATED_BY_THREES.test(before);
  return isGrouped ? notation(last, groupName(group as string), '') : undefined;
}

/** Whether a column with these separators reads a number of the notation. */
export const fitsSeparators = (
  { decimal, group, ambiguousSeparator }: NumberNotation,
  separators: { decimal: string; group: string },
): boolean =>
  (decimal === '' || decimal === separators.decimal) &&
  (group === '' || group === separators.group) &&
  (ambiguousSeparator === '' || ambiguousSeparator === separators.decimal || ambiguousSeparator === separators.group);

/** Returns the decimal separator that follows from a notation; empty if none follows. */
export function provedDecimal({ decimal, group }: NumberNotation): '' | '.' | ',' {
  if (decimal !== '') return decimal;
  if (group === '.') return ',';
  return group === ',' ? '.' : '';
}
