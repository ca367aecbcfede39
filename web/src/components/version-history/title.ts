/** The titles of versions, from their event types. */
import type { VersionView } from '@rdm/contracts/review/approval';

const ENTITY_PREFIX = /^(Mappings|Crosswalk|RelationshipValues|Relationship)/;

/** Titles of event types whose names make no clear title. */
const SPECIAL_TITLES: Readonly<Record<string, string>> = {
  CrosswalkValuesStarted: 'First value added',
  RelationshipValuesStarted: 'First value added',
  CrosswalkUnmappedChanged: 'Result for unmapped values changed',
};
const REQUEST_OUTCOMES: ReadonlySet<string> = new Set(['Approved', 'Rejected', 'Recalled']);

/** Returns “Approved” for `MappingsApproved`, or “Deletion approved” if the event approves a requested deletion. */
export function versionTitle({ type, ofDeletion }: Pick<VersionView, 'type' | 'ofDeletion'>): string {
  const specialTitle = SPECIAL_TITLES[type];
  if (specialTitle !== undefined) return specialTitle;
  const words = type
    .replace(ENTITY_PREFIX, '')
    .replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
  if (words === '') return type;
  return ofDeletion && REQUEST_OUTCOMES.has(words) ? `Deletion ${words.toLowerCase()}` : words;
}
