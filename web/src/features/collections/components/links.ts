/** Links from a collection to other pages. */

/** Returns the address of the list of the collection's data sets. */
export function dataSetsOf(id: number): string {
  const filter = { logic: 'AND', conditions: [{ field: 'collectionIds', operator: 'contains', value: id }] };
  return `/reference-data?filter=${encodeURIComponent(JSON.stringify(filter))}`;
}
