/** The confidences of candidates, and their reasons as texts for users. */
import { describeDifferences } from './similarity.ts';
import type { Kind } from './target-texts.ts';

/** Confidences from 0 to 100, for equal texts and earlier mappings. Similar texts have at most `SIMILAR_MAX`. */
export const SAME_VALUE = 100;
const SAME_FOLDED_VALUE = 95;
export const MAPPED_BEFORE = 92;
const SAME_LABEL = 90;
const SAME_SYNONYM = 88;
const SAME_FOLDED_SYNONYM = 86;
const SAME_FOLDED_LABEL = 85;
export const SIMILAR_MAX = 84;

/** Returns confidence and reason for two texts that are equal after folding, except two identical values. */
export function gradeEquality(
  ours: string,
  ourKind: Kind,
  theirs: string,
  theirKind: Kind,
): { confidence: number; reason: string } {
  const isExact = ours === theirs;
  const apart = isExact ? '' : `, apart from ${describeDifferences(ours, theirs)}`;
  if (ourKind === 'value' && theirKind === 'value') {
    return { confidence: SAME_FOLDED_VALUE, reason: `Same value apart from ${describeDifferences(ours, theirs)}` };
  }
  if (ourKind === 'synonym' || theirKind === 'synonym') {
    const subject = theirKind === 'synonym' ? 'The target is also called' : 'The source is also called';
    return { confidence: isExact ? SAME_SYNONYM : SAME_FOLDED_SYNONYM, reason: `${subject} “${theirs}”${apart}` };
  }
  const subject =
    ourKind === 'label' && theirKind === 'label'
      ? 'Both are labelled'
      : ourKind === 'label'
        ? 'The source label is the target value'
        : 'The target is labelled';
  return { confidence: isExact ? SAME_LABEL : SAME_FOLDED_LABEL, reason: `${subject} “${theirs}”${apart}` };
}

export const otherTargets = (count: number): string =>
  count === 1 ? 'another target is as close' : `${count} other targets are as close`;

export function similarityReason(
  [ours, ourKind]: readonly [string, Kind],
  [theirs, theirKind]: readonly [string, Kind],
  byWords: number,
  isPart: boolean,
): string {
  if (byWords > 1 - 1e-9) return `Same words as “${theirs}”`;
  if (isPart) {
    const [source, target] = [`source ${ourKind} “${ours}”`, `target ${theirKind} “${theirs}”`];
    const [part, whole] = ours.length < theirs.length ? [source, target] : [target, source];
    return `The ${part} is contained in the ${whole}`;
  }
  return `“${ours}” resembles “${theirs}”`;
}
