/** Writes and reads ids of problem groups: the rule, the column and the shape of the value. */
import type { ProblemRule } from './problems.ts';

export interface GroupKey {
  rule: ProblemRule;
  column: number | null;
  shape: string;
}

/** The shape for records with more cells than columns. Other problems of a whole record have an empty shape. */
export const SURPLUS = 'more cells';

export const groupId = ({ rule, column, shape }: GroupKey): string => `${rule}|${column ?? ''}|${shape}`;

/** Matches digits in older shapes, which have a 9 for each digit. Stored drafts can have such shapes. */
const FORMER_DIGITS = /9+…?/g;

export function parseGroupId(id: string): GroupKey {
  const [rule = '', column = '', ...shape] = id.split('|');
  return {
    rule: rule as ProblemRule,
    column: column === '' ? null : Number(column),
    shape: shape.join('|').replace(FORMER_DIGITS, '9'),
  };
}
