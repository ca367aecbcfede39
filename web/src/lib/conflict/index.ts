/** Merges concurrent edits of one record. Different changes to the same field are returned as overlaps. */

export interface Overlap<Field extends string> {
  field: Field;
  base: unknown;
  mine: unknown;
  theirs: unknown;
}

export interface Merge<Edit extends object> {
  /** The record `theirs`, with the values of `mine` in the fields that only `mine` changed. */
  merged: Edit;
  overlaps: Overlap<keyof Edit & string>[];
}

/** The fields of `after` whose values differ from those of `before`. */
export function changedFields<Edit extends object>(before: Edit, after: Edit): Partial<Edit> {
  return Object.fromEntries(
    Object.entries(after).filter(([field, value]) => before[field as keyof Edit] !== value),
  ) as Partial<Edit>;
}

/** Merges the user's edit of `base` (`mine`) with the record that another user stored meanwhile (`theirs`). */
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
