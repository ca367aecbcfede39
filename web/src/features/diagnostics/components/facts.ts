/** The texts of the diagnostics page and its report. */

import {
  type DiagnosticsView,
  ERROR_DAYS,
  type ErrorKind,
  type ErrorView,
  PARTS,
  type Part,
  type SystemDiagnostics,
} from '@rdm/contracts/admin/diagnostics';
import { READ_MODEL_TITLES } from '@rdm/contracts/admin/monitor';
import { format } from 'date-fns';
import { bytes } from '../../../lib/bytes.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import type { BrowserFacts } from './browser.ts';

export const NOT_KNOWN = 'Not known';

export const PART_WORDS: Record<Part, { name: string; purpose: string }> = {
  postgres: { name: 'PostgreSQL', purpose: 'Stores users, sessions and the data of lists' },
  eventStore: { name: 'Event store', purpose: 'Stores every change' },
  commandApi: { name: 'Command API', purpose: 'Accepts changes' },
  projector: { name: 'Projector', purpose: 'Updates lists after changes' },
  access: { name: 'Permissions', purpose: 'Decide who may read and change data' },
};

export const healthWord = (isHealthy: boolean | null): string =>
  isHealthy === null ? NOT_KNOWN : isHealthy ? 'Healthy' : 'Not healthy';

export const KIND_WORDS: Record<ErrorKind, string> = {
  REQUEST: 'Request',
  PROJECTION: 'Projection',
  JOB: 'Job',
  MAIL: 'Mail',
};

export const instant = (at: string | number): string => format(new Date(at), 'yyyy-MM-dd HH:mm:ss xxx');

export interface Section {
  title: string;
  facts: readonly (readonly [label: string, value: string])[];
}

export const browserSection = ({ userAgent, windowSize, timeZone, language }: BrowserFacts): Section => ({
  title: 'Your browser',
  facts: [
    ['Browser', userAgent],
    ['Window', `${windowSize} px`],
    ['Time zone', timeZone ?? NOT_KNOWN],
    ['Language', language],
  ],
});

/** Facts about the browser and the session; for administrators, also about the system. */
export function sectionsOf(view: DiagnosticsView, browser: BrowserFacts): Section[] {
  const ownSections: Section[] = [
    {
      title: 'Your session',
      facts: [
        ['Signed in since', instant(view.session.since)],
        ['Ends at the latest', instant(view.session.until)],
      ],
    },
    browserSection(browser),
  ];
  return hasSystemFacts(view) ? [...systemSections(view), ...ownSections] : ownSections;
}

export const hasSystemFacts = (view: DiagnosticsView): view is DiagnosticsView & SystemDiagnostics =>
  view.versions !== undefined;

const size = (value: number | null): string => (value === null ? NOT_KNOWN : bytes(value));

function systemSections({
  versions,
  migrations,
  clockSkewMs,
  eventStore,
  disk,
  log,
  projections,
}: SystemDiagnostics): Section[] {
  const notServing = projections
    .filter(({ state }) => state !== 'SERVING')
    .map(({ name }) => READ_MODEL_TITLES[name] ?? name);
  const lag = Math.max(0, ...projections.map((each) => each.lag));
  const { isEmbedded, version, members } = eventStore;
  const memberFacts = (members ?? []).map(
    ({ address, state, isAlive }, index) =>
      [
        `Member ${index + 1}`,
        `${address ?? NOT_KNOWN}, ${state.toLowerCase()}${isAlive ? '' : ', does not respond'}`,
      ] as const,
  );
  return [
    {
      title: 'Versions',
      facts: [
        ['Node.js', versions.node],
        ['PostgreSQL', versions.postgres],
        ['Migrations', `${migrations.length}, the last is ${migrations.at(-1) ?? NOT_KNOWN}`],
        ['Clock of PostgreSQL', clockWords(clockSkewMs)],
      ],
    },
    {
      title: 'Event store',
      facts: isEmbedded
        ? [
            ['Server', 'Embedded'],
            ['Protocol', version === null ? NOT_KNOWN : `EventStoreDB ${version}`],
          ]
        : [
            ['Server', 'EventStoreDB'],
            ['Version', version ?? NOT_KNOWN],
            ...(memberFacts.length > 0 ? memberFacts : [['Members', NOT_KNOWN] as const]),
          ],
    },
    {
      title: 'Disk',
      facts: [
        ['Free', disk.freeBytes === null ? NOT_KNOWN : `${size(disk.freeBytes)} of ${size(disk.totalBytes)}`],
        ['Database', size(disk.databaseBytes)],
        ['Event log', size(disk.logBytes)],
      ],
    },
    {
      title: 'Read models',
      facts: [
        ['End of the log', log.head ?? NOT_KNOWN],
        ['Read up to', `${log.reader.position} (event ${formatNumber(log.reader.seq)})`],
        ['Greatest lag', `${formatNumber(lag)} ${lag === 1 ? 'event' : 'events'}`],
        ['Number', `${projections.length}, building or stopped: ${notServing.join(', ') || 'none'}`],
      ],
    },
  ];
}

function clockWords(skewMs: number): string {
  if (skewMs === 0) return 'No difference';
  return `${formatNumber(Math.abs(skewMs))} ms ${skewMs > 0 ? 'ahead of' : 'behind'} the clock of the service`;
}

/** Names the user or API key of an error by id, because reports must not contain names. */
export const actorWords = (actorId: number | null): string =>
  actorId === null ? '' : actorId < 0 ? `API key ${-actorId}` : `user ${actorId}`;

/** The failed request as route and status, or the kind of error. */
export const subjectOf = ({ kind, route, status }: Pick<ErrorView, 'kind' | 'route' | 'status'>): string =>
  [route ?? KIND_WORDS[kind], status].filter((part) => part !== null).join(' ');

export const omittedWords = (count: number): string =>
  `${formatNumber(count)} more ${count === 1 ? 'error' : 'errors'} of the last ${ERROR_DAYS} days ${count === 1 ? 'is' : 'are'} not listed: too many occurred at once, or PostgreSQL was not available.`;

/** The report as text, for the support team. */
export function reportText(view: DiagnosticsView, browser: BrowserFacts, at: number): string {
  const parts: Section = {
    title: 'Parts',
    facts: PARTS.map((part) => [PART_WORDS[part].name, healthWord(view.parts[part])]),
  };
  const lines = [`Diagnostics, ${instant(at)}: ${healthWord(view.healthy)}`];
  for (const problem of view.problems ?? []) lines.push(`Problem: ${problem}`);
  for (const { title, facts } of [parts, ...sectionsOf(view, browser)]) {
    lines.push('', title, ...facts.map(([label, value]) => `  ${label}: ${value}`));
  }
  lines.push('', 'Errors', ...view.errors.map(errorLine));
  if (view.errors.length === 0) lines.push(`  None in the last ${ERROR_DAYS} days`);
  if (view.omittedErrors) lines.push(`  ${omittedWords(view.omittedErrors)}`);
  return `${lines.join('\n')}\n`;
}

function errorLine(error: ErrorView): string {
  const { at, service, code, message, correlationId, actorId } = error;
  const cells = [instant(at), service, subjectOf(error), code, message, correlationId ?? '', actorWords(actorId)];
  return `  ${cells.filter((part) => part !== '').join(' · ')}`;
}

/** The report as JSON. */
export const reportJson = (view: DiagnosticsView, browser: BrowserFacts, at: number): string =>
  `${JSON.stringify({ takenAt: new Date(at).toISOString(), browser, ...view }, null, 2)}\n`;
