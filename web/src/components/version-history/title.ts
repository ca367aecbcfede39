/** The titles of versions, from their event types. */
import type { VersionView } from '@rdm/contracts/review/approval';

const OF_WHAT = /^(Mappings|Crosswalk|RelationshipValues|Relationship)/;

/** Event types whose names are not clear enough. */
const WORDS: Readonly<Record<string, string>> = {
  CrosswalkValuesStarted: 'First value added',
  RelationshipValuesStarted: 'First value added',
  CrosswalkUnmappedChanged: 'Unmapped values changed',
};
const OF_A_DELETION: ReadonlySet<string> = new Set(['Approved', 'Rejected', 'Recalled']);

/** `MappingsSubmitted` becomes “Submitted”; a decision about a deletion mentions it. */
export function versionTitle({ type, ofDeletion }: Pick<VersionView, 'type' | 'ofDeletion'>): string {
  const known = WORDS[type];
  if (known !== undefined) return known;
  const words = type
    .replace(OF_WHAT, '')
    .replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
  if (words === '') return type;
  return ofDeletion && OF_A_DELETION.has(words) ? `Deletion ${words.toLowerCase()}` : words;
}
