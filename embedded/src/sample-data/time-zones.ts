/** Creates a relationship of time zones to countries, with values in every review state. */
import type { ApiClient } from './api-client.ts';
import { draftRows, type RowRevision, review } from './review-steps.ts';

export interface Zones {
  dataSetId: number;
  /** The row of a discontinued zone. */
  discontinuedZone: RowRevision;
}

const OFFSET = 'UTC offset';
const EXCLAVE = 'Europe/Busingen';
/** A zone that was in the time zone database until 2020. */
const DISCONTINUED = 'US/Pacific-New';

/** Newer platforms have `getTimeZones()` instead of the property `timeZones`. */
type LocaleWithZones = Intl.Locale & { getTimeZones?: () => string[] | undefined; timeZones?: string[] | undefined };

function zonesOf(country: string): string[] {
  const locale = new Intl.Locale(`und-${country}`) as LocaleWithZones;
  return locale.getTimeZones?.() ?? locale.timeZones ?? [];
}

/** Returns the hours ahead of UTC on a day: "GMT+05:45" is 5.75. */
function offsetOf(zone: string, day: Date): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(day);
  const offsetText = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d{2}):(\d{2})/.exec(offsetText) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) + Number(minutes) / 60);
}

/** Adds a discontinued zone, so that values can refer to it. */
export async function addDiscontinuedZone(steward: ApiClient, dataSetId: number): Promise<RowRevision> {
  const added = await steward.write('POST', `/api/reference-data/${dataSetId}/instances`, 'rows-dropped-zone', {
    rows: [{ data: { id: DISCONTINUED, region: 'US' } }],
  });
  return { id: added['id'] as number, revision: added['revision'] as number };
}

/**
 * Creates the relationship. The values of zones of the Pacific are pending, of the Indian Ocean drafts, and of the
 * exclave rejected; all other values are approved.
 */
export async function createZoneRelationship(
  steward: ApiClient,
  approver: ApiClient,
  zones: Zones,
  countryDataSetId: number,
  codes: readonly string[],
): Promise<void> {
  const { id } = await steward.write('POST', '/api/relationships', 'relationship-zones', {
    name: 'Time zone is in country',
    relationshipType: 'is in',
    cardinality: 'MANY_TO_ONE',
    sourceDataSetId: zones.dataSetId,
    targetDataSetId: countryDataSetId,
    sourceField: 'id',
    targetField: 'code',
  });
  await steward.write('POST', `/api/relationships/${id}/attributes`, 'attribute-offset', {
    name: OFFSET,
    dataType: 'number',
    description: 'Hours ahead of UTC in January',
  });
  const values = `/api/relationships/${id}/values`;
  const january = new Date('2026-01-15T12:00:00Z');
  const value = (zone: string, country: string) => ({
    sourceKey: zone,
    targetKey: country,
    attributes: { [OFFSET]: offsetOf(zone, january) },
  });
  const supportedZones = new Set(Intl.supportedValuesOf('timeZone'));
  const pairs = codes.flatMap((country) =>
    zonesOf(country)
      .filter((zone) => supportedZones.has(zone))
      .map((zone) => [zone, country] as const),
  );
  const zonesOfRegion = (region: string) => pairs.filter(([zone]) => zone.startsWith(`${region}/`));
  const otherZones = pairs.filter(([zone]) => !/^(Indian|Pacific)\//.test(zone) && zone !== EXCLAVE);
  const draftPairs = (key: string, zonePairs: readonly (readonly [string, string])[]) =>
    draftRows(
      steward,
      values,
      key,
      zonePairs.map(([zone, country]) => value(zone, country)),
    );

  const submitted = await review(steward, values, 'submit', 'zones-submit', await draftPairs('zones', otherZones));
  await review(approver, values, 'approve', 'zones-approve', submitted, 'As in the time zone database');
  const pacificDrafts = await draftPairs('zones-pacific', zonesOfRegion('Pacific'));
  await review(steward, values, 'submit', 'zones-pacific-submit', pacificDrafts, 'The Pacific');
  await draftPairs('zones-indian', zonesOfRegion('Indian'));

  const exclaveDraft = await draftPairs('zones-exclave', [[EXCLAVE, 'CH']]);
  const submittedExclave = await review(steward, values, 'submit', 'zones-exclave-submit', exclaveDraft);
  await review(
    approver,
    values,
    'reject',
    'zones-exclave-reject',
    submittedExclave,
    'Büsingen is an exclave of Germany',
  );
  await deleteDiscontinuedZone(steward, approver, zones, values);
}

/** Approves a value of the discontinued zone, then deletes the zone: the source row of the value is missing. */
async function deleteDiscontinuedZone(
  steward: ApiClient,
  approver: ApiClient,
  zones: Zones,
  values: string,
): Promise<void> {
  const drafted = await draftRows(steward, values, 'zones-dropped', [
    { sourceKey: DISCONTINUED, targetKey: 'US', attributes: { [OFFSET]: -8 } },
  ]);
  const submitted = await review(steward, values, 'submit', 'zones-dropped-submit', drafted);
  await review(approver, values, 'approve', 'zones-dropped-approve', submitted);
  await steward.write('DELETE', `/api/reference-data/${zones.dataSetId}/instances`, 'rows-dropped-zone-gone', {
    rows: [zones.discontinuedZone],
  });
}
