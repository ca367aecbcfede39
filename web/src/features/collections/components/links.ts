/** Where else a collection is looked at. */

/** The data sets that it holds, as the list of all data sets shows them to whoever may read them. */
export function dataSetsOf(id: number): string {
  const filter = { logic: 'AND', conditions: [{ field: 'collectionIds', operator: 'contains', value: id }] };
  return `/reference-data?filter=${encodeURIComponent(JSON.stringify(filter))}`;
}
