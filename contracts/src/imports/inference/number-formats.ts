/** Infers the separators of the numbers of a column. */
import type { ColumnFormat } from '../column-formats.ts';
import type { Question } from '../problems.ts';
import type { ColumnStatistics } from './column-statistics.ts';
import { fitsSeparators, provedDecimal } from './number-notations.ts';

type Decimal = NonNullable<ColumnFormat['decimal']>;
const OTHER: Record<Decimal, Decimal> = { '.': ',', ',': '.' };

interface Separators {
  decimal: Decimal;
  group: string;
  /** The number of texts that are numbers with these separators. */
  fits: number;
}

/** The evidence for the decimal separator of a column. */
export interface NumberEvidence {
  /** For each separator, the number of values that prove it, and the first of these values. */
  proofs: Record<Decimal, { count: number; example: string }>;
  /** The number of values that fit both separators, such as "1,234", and the first of these values. */
  ambiguous: { count: number; example: string };
}

export function numberEvidence({ numbers }: ColumnStatistics): NumberEvidence {
  const none = () => ({ count: 0, example: '' });
  const evidence: NumberEvidence = { proofs: { '.': none(), ',': none() }, ambiguous: none() };
  for (const [notation, { count, example }] of numbers.counts) {
    const proved = provedDecimal(notation);
    const entry =
      proved !== '' ? evidence.proofs[proved] : notation.ambiguousSeparator === '' ? undefined : evidence.ambiguous;
    if (!entry) continue;
    entry.example ||= example;
    entry.count += count;
  }
  return evidence;
}

/** The decimal separator that the column proves; undefined if it proves none or both. */
export function onlyProof({ proofs }: NumberEvidence): Decimal | undefined {
  if (proofs['.'].count > 0 && proofs[','].count > 0) return undefined;
  return proofs['.'].count > 0 ? '.' : proofs[','].count > 0 ? ',' : undefined;
}

/**
 * The separators of a column with this decimal separator: adds the most frequent thousands separator of its numbers.
 */
export function separatorsFor({ numbers }: ColumnStatistics, decimal: Decimal): Separators {
  const counts = new Map<string, number>();
  for (const [{ group, ambiguousSeparator }, { count }] of numbers.counts) {
    const separator = group || (ambiguousSeparator === decimal ? '' : ambiguousSeparator);
    if (separator !== '' && separator !== decimal) counts.set(separator, (counts.get(separator) ?? 0) + count);
  }
  const [group = ''] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? [];
  let fits = 0;
  for (const [notation, { count }] of numbers.counts) {
    if (fitsSeparators(notation, { decimal, group })) fits += count;
  }
  return { decimal, group, fits };
}

/**
 * The separators with which most texts are numbers. If the decimal point and the comma fit equally many texts, chooses
 * the point.
 */
export function bestSeparators(statistics: ColumnStatistics): Separators {
  const [point, comma] = [separatorsFor(statistics, '.'), separatorsFor(statistics, ',')];
  return comma.fits > point.fits ? comma : point;
}

/** The column format with these separators; defaults are left out. */
export function numberFormat({ decimal, group }: Pick<Separators, 'decimal' | 'group'>): Partial<ColumnFormat> {
  return { ...(decimal === ',' ? { decimal } : {}), ...(group === '' ? {} : { group }) };
}

const NAMES: Record<Decimal, string> = { '.': 'point', ',': 'comma' };

/** Shows how a text is read with a decimal separator: "1,234 → 1234". */
const asRead = (text: string, decimal: Decimal): string =>
  `${text} → ${text.replace(decimal === ',' ? /[^\d+\-,]/g : /[^\d+\-.]/g, '').replace(',', '.')}`;

export interface InferredNumbers {
  format: Partial<ColumnFormat>;
  fits: number;
  /** The end of the sentence "All values are numbers…", with the reason for the format. */
  explanation: string;
  question?: Question;
}

/** Infers the separators of a column. `other` is another column of the file that proves a decimal separator. */
export function inferNumbers(
  column: { index: number; name: string; statistics: ColumnStatistics },
  other: { decimal: Decimal; name: string } | undefined,
): InferredNumbers {
  const { statistics } = column;
  const evidence = numberEvidence(statistics);
  const proof = onlyProof(evidence);
  const inferredWith = (decimal: Decimal, explanation: string): InferredNumbers => {
    const separators = separatorsFor(statistics, decimal);
    return { format: numberFormat(separators), fits: separators.fits, explanation };
  };
  if (proof) return inferredWith(proof, ` with a decimal ${NAMES[proof]}, as in "${evidence.proofs[proof].example}"`);
  // Here the values prove both decimal separators or neither: if a value proves the point, another value proves the
  // comma.
  const isContradictory = evidence.proofs['.'].count > 0;
  if (!isContradictory && evidence.ambiguous.count === 0) return inferredWith(bestSeparators(statistics).decimal, '');
  if (!isContradictory && other) {
    return inferredWith(other.decimal, ` with a decimal ${NAMES[other.decimal]}, as in the column "${other.name}"`);
  }
  const best = bestSeparators(statistics);
  const ambiguousNumber = evidence.ambiguous.example;
  const separatorName = NAMES[ambiguousNumber.includes(',') ? ',' : '.'];
  const option = (decimal: Decimal): Question['options'][number] => {
    const { count, example } = evidence.proofs[decimal];
    return {
      value: decimal,
      label: `A ${NAMES[decimal]} separates decimals, a ${NAMES[OTHER[decimal]]} thousands`,
      examples: [isContradictory ? example : asRead(ambiguousNumber, decimal)],
      ...(isContradictory ? { count } : {}),
    };
  };
  return {
    ...inferredWith(best.decimal, ''),
    question: {
      id: `numberFormat:${column.index}`,
      kind: 'numberFormat',
      column: column.index,
      text: isContradictory
        ? `Some numbers in "${column.name}" have a decimal point, others a decimal comma. Which is right?`
        : `In "${ambiguousNumber}" in the column "${column.name}", does the ${separatorName} separate decimals or thousands?`,
      options: [option('.'), option(',')],
      answer: null,
    },
  };
}
