/** Links from a collection to other pages. */

/** The list of data sets, limited to those of the collection. */
export function dataSetsOf(id: number): string {
  const filter = { logic: 'AND', conditions: [{ field: 'collectionIds', operator: 'contains', value: id }] };
  return `/reference-data?filter=${encodeURIComponent(JSON.stringify(filter))}`;
}
