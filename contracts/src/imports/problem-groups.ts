/** Ids of problem groups: the rule, the column and the shape of the value. */
import type { ProblemRule } from './problems.ts';

export interface GroupKey {
  rule: ProblemRule;
  column: number | null;
  shape: string;
}

/** The shape of records with more cells than columns; that of other problems without a value is empty. */
export const SURPLUS = 'more cells';

export const groupId = ({ rule, column, shape }: GroupKey): string => `${rule}|${column ?? ''}|${shape}`;

export function parseGroupId(id: string): GroupKey {
  const [rule = '', column = '', ...shape] = id.split('|');
  return { rule: rule as ProblemRule, column: column === '' ? null : Number(column), shape: shape.join('|') };
}
