/** Compares two states by their paths and values. */
import { flatten } from '@rdm/contracts/audit/named-values';

export interface PathChange {
  path: string;
  before: string | undefined;
  after: string | undefined;
}

/** Returns all paths of both states: the paths of the later state in order, then the removed paths. */
export function compareStates(before: unknown, after: unknown): PathChange[] {
  const [earlier, later] = [flatten(before), flatten(after)];
  return [
    ...Object.entries(later).map(([path, value]) => ({ path, before: earlier[path], after: value })),
    ...Object.entries(earlier)
      .filter(([path]) => !(path in later))
      .map(([path, value]) => ({ path, before: value, after: undefined })),
  ];
}

export const isChanged = ({ before, after }: PathChange): boolean => before !== after;
