/**
 * Merges concurrent edits of one record: changes to different fields are merged, different changes to the same field
 * are returned as overlaps.
 */

export interface Overlap<Field extends string> {
  field: Field;
  base: unknown;
  mine: unknown;
  theirs: unknown;
}

export interface Merge<Edit extends object> {
  /**
   * The stored record of the other user (`theirs`), with the user's values in the fields that only this user changed.
   */
  merged: Edit;
  overlaps: Overlap<keyof Edit & string>[];
}

/** The fields of `after` that differ from `before`; only these are sent. */
export function changedFields<Edit extends object>(before: Edit, after: Edit): Partial<Edit> {
  return Object.fromEntries(
    Object.entries(after).filter(([field, value]) => before[field as keyof Edit] !== value),
  ) as Partial<Edit>;
}

/** Merges `mine`, the user's edit of `base`, with `theirs`, the record as another user has stored it since. */
export function mergeEdits<Edit extends object>(base: Edit, mine: Edit, theirs: Edit): Merge<Edit> {
  const merged = { ...theirs };
  const overlaps: Overlap<keyof Edit & string>[] = [];
  for (const field of Object.keys(base) as (keyof Edit & string)[]) {
    if (mine[field] === base[field] || mine[field] === theirs[field]) continue;
    if (theirs[field] === base[field]) merged[field] = mine[field];
    else overlaps.push({ field, base: base[field], mine: mine[field], theirs: theirs[field] });
  }
  return { merged, overlaps };
}
