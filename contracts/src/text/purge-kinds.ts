/** The kinds of purges, and the words for the data that each kind deletes. */

/**
 * `dataSets` purges deleted data sets with all their data, `definitions` purges deleted crosswalks and relationships,
 * `jobs` purges finished jobs with their files and logs, and `telemetry` purges sign-in attempts, request contexts,
 * usage, errors and mail. Telemetry is only in tables, not in the log.
 */
export const PURGE_KINDS = ['dataSets', 'definitions', 'jobs', 'telemetry'] as const;
export type PurgeKind = (typeof PURGE_KINDS)[number];

const NOUNS: Readonly<Record<PurgeKind, readonly [one: string, many: string]>> = {
  dataSets: ['data set', 'data sets'],
  definitions: ['definition', 'definitions'],
  jobs: ['job', 'jobs'],
  telemetry: ['record', 'records'],
};

/** “3 data sets”. */
export const purgedText = (kind: PurgeKind, count: number): string => `${count} ${NOUNS[kind][count === 1 ? 0 : 1]}`;

/** The phrase that an administrator types to request the purge: “purge 3 data sets”. */
export const purgePhrase = (kind: PurgeKind, count: number): string => `purge ${purgedText(kind, count)}`;

const STATE: Readonly<Record<PurgeKind, string>> = {
  dataSets: 'deleted ',
  definitions: 'deleted ',
  jobs: 'finished ',
  telemetry: '',
};

/** “3 deleted data sets”, for sentences about a purge. */
export function purgedSentence(kind: PurgeKind, count: number): string {
  const [one, many] = NOUNS[kind];
  return `${count.toLocaleString('en')} ${STATE[kind]}${count === 1 ? one : many}`;
}
