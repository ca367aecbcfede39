/** Links from a collection to other pages. */

/** Its data sets, in the list of all data sets. */
export function dataSetsOf(id: number): string {
  const filter = { logic: 'AND', conditions: [{ field: 'collectionIds', operator: 'contains', value: id }] };
  return `/reference-data?filter=${encodeURIComponent(JSON.stringify(filter))}`;
}
