/** Flattens a state to paths and values, and compares two states. */

export type FlatState = Readonly<Record<string, string>>;

/** `{ a: { b: [1] } }` becomes `a.b[0] = 1`; empty values (null, an empty text, list or object) are omitted. */
export function flatten(value: unknown): FlatState {
  const flat: Record<string, string> = {};
  const walk = (part: unknown, path: string): void => {
    if (part === null || part === undefined || part === '') return;
    if (Array.isArray(part)) {
      for (const [index, each] of part.entries()) walk(each, `${path}[${index}]`);
    } else if (typeof part === 'object') {
      for (const [name, each] of Object.entries(part)) walk(each, path === '' ? name : `${path}.${name}`);
    } else {
      flat[path] = String(part);
    }
  };
  walk(value, '');
  return flat;
}

export interface PathChange {
  path: string;
  before: string | undefined;
  after: string | undefined;
}

/** All paths of both states, in the order of the later state; removed paths last. */
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
