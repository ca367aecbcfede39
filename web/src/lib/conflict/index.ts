/** What to do when somebody else changed the same record meanwhile: disjoint fields merge, overlapping ones are asked about. */

export interface Overlap<Field extends string> {
  field: Field;
  base: unknown;
  mine: unknown;
  theirs: unknown;
}

export interface Merge<Edit extends object> {
  /** Their record with my changes, wherever only one of us changed a field. */
  merged: Edit;
  overlaps: Overlap<keyof Edit & string>[];
}

/** The fields that differ from what is stored: only those are sent. */
export function changedFields<Edit extends object>(before: Edit, after: Edit): Partial<Edit> {
  return Object.fromEntries(
    Object.entries(after).filter(([field, value]) => before[field as keyof Edit] !== value),
  ) as Partial<Edit>;
}

/** Compares what the person saw, what they wrote, and what is stored now. */
export function merge<Edit extends object>(base: Edit, mine: Edit, theirs: Edit): Merge<Edit> {
  const merged = { ...theirs };
  const overlaps: Overlap<keyof Edit & string>[] = [];
  for (const field of Object.keys(base) as (keyof Edit & string)[]) {
    if (mine[field] === base[field] || mine[field] === theirs[field]) continue;
    if (theirs[field] === base[field]) merged[field] = mine[field];
    else overlaps.push({ field, base: base[field], mine: mine[field], theirs: theirs[field] });
  }
  return { merged, overlaps };
}
