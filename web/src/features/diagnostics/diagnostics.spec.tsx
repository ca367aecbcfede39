/** Tests the diagnostics page and its report. */
import type { DiagnosticsView, ErrorView } from '@rdm/contracts/admin/diagnostics';
import { cleanup, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fakeServer, showPage, steward } from '../../testing/page.tsx';
import { omittedWords, reportJson, reportText, sectionsOf } from './components/facts.ts';
import Diagnostics from './pages/Diagnostics.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const browser = { userAgent: 'Firefox', windowSize: '390 × 844', timeZone: undefined, language: 'de' };

const error: ErrorView = {
  id: 1,
  at: '2026-01-02T03:04:05.000Z',
  service: 'query-api',
  kind: 'REQUEST',
  route: 'GET /api/crosswalks',
  status: 500,
  code: '42703',
  message: 'The service failed: its log has the reason',
  correlationId: 'c1',
  actorId: -5,
};

const userView: DiagnosticsView = {
  healthy: false,
  parts: { postgres: true, eventStore: false, commandApi: null, projector: true, access: true },
  session: { since: '2026-01-02T00:00:00.000Z', until: '2026-01-03T00:00:00.000Z' },
  errors: [],
};

const administratorView: DiagnosticsView = {
  ...userView,
  errors: [error],
  problems: ['The disk is full.'],
  versions: { node: 'v24', postgres: '17' },
  eventStore: {
    isEmbedded: false,
    version: null,
    members: [{ address: 'es1:2113', state: 'FOLLOWER', isAlive: false }],
  },
  disk: { freeBytes: null, totalBytes: null, databaseBytes: 2_048, logBytes: null },
  migrations: ['0001-vault', '0002-commands'],
  log: { head: null, reader: { seq: 1_000, position: '77' } },
  projections: [
    { name: 'jobs', state: 'DETACHED', lag: 4 },
    { name: 'rows', state: 'SERVING', lag: 1 },
  ],
  clockSkewMs: -1_500,
  omittedErrors: 0,
};

const factsOf = (view: DiagnosticsView) =>
  Object.fromEntries(sectionsOf(view, browser).map(({ title, facts }) => [title, Object.fromEntries(facts)]));

describe('the facts', () => {
  it('describe only the session and the browser for users who are not administrators', () => {
    expect(Object.keys(factsOf(userView))).toEqual(['Your session', 'Your browser']);
    expect(factsOf(userView)['Your browser']).toMatchObject({ Browser: 'Firefox', 'Time zone': 'Not known' });
  });

  it('contain "Not known" for unknown values', () => {
    const { Disk: disk, 'Event store': store, 'Read models': models } = factsOf(administratorView);
    expect(disk).toEqual({ Free: 'Not known', Database: '2.0 KiB', 'Event log': 'Not known' });
    expect(store).toMatchObject({ Version: 'Not known', 'Member 1': 'es1:2113, follower, does not respond' });
    expect(models).toMatchObject({ 'End of the log': 'Not known', 'Read up to': '77 (event 1,000)' });
    const noMembers = { ...administratorView, eventStore: { isEmbedded: false, version: '24.10.0', members: null } };
    expect(factsOf(noMembers)['Event store']).toMatchObject({ Version: '24.10.0', Members: 'Not known' });
  });

  it('include read models that are building or stopped, the largest lag and the clock difference', () => {
    expect(factsOf(administratorView)['Read models']).toMatchObject({
      'Greatest lag': '4 events',
      Number: '2, building or stopped: Jobs',
    });
    expect(factsOf(administratorView)['Versions']?.['Clock of PostgreSQL']).toBe(
      '1,500 ms behind the clock of the service',
    );
  });

  it('include the protocol of the embedded event store', () => {
    const embedded = { ...administratorView, eventStore: { isEmbedded: true, version: '24.10.0', members: null } };
    expect(factsOf(embedded)['Event store']).toEqual({ Server: 'Embedded', Protocol: 'EventStoreDB 24.10.0' });
  });
});

describe('the report', () => {
  it('contains parts, problems, facts and errors as text', () => {
    const text = reportText(administratorView, browser, Date.parse('2026-01-02T03:05:00.000Z'));
    for (const line of [
      /^Diagnostics, 2026-.*: Not healthy$/m,
      /^Problem: The disk is full\.$/m,
      /^ {2}Event store: Not healthy$/m,
      /^ {2}Command API: Not known$/m,
      /^ {2}Language: de$/m,
      /^ {2}.* · query-api · GET \/api\/crosswalks 500 · 42703 · The service failed: its log has the reason · c1 · API key 5$/m,
    ])
      expect(text).toMatch(line);
  });

  it('states the number of omitted errors', () => {
    const text = reportText({ ...userView, omittedErrors: 1_200 }, browser, 0);
    expect(text).toContain('None in the last 7 days');
    expect(text).toContain('1,200 more errors of the last 7 days are not listed');
    expect(omittedWords(1)).toMatch(/^1 more error of the last 7 days is not listed/);
  });

  it('contains the same data as JSON', () => {
    expect(JSON.parse(reportJson(administratorView, browser, 0))).toEqual({
      takenAt: '1970-01-01T00:00:00.000Z',
      browser: { userAgent: 'Firefox', windowSize: '390 × 844', language: 'de' },
      ...administratorView,
    });
  });
});

describe('the page', () => {
  it('shows each part with its status as text, and the problems', async () => {
    fakeServer({ 'GET /api/diagnostics': { body: administratorView } });
    showPage(<Diagnostics />, { user: { ...steward, isAdmin: true } });
    expect((await screen.findByRole('alert')).textContent).toBe('The disk is full.');
    const parts = within(screen.getByRole('region', { name: 'Parts' }));
    expect(parts.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
      expect.stringMatching(/^PostgreSQLHealthy/),
      expect.stringMatching(/^Event storeNot healthy/),
      expect.stringMatching(/^Command APINot known/),
      expect.stringMatching(/^ProjectorHealthy/),
      expect.stringMatching(/^PermissionsHealthy/),
    ]);
    expect(parts.getByRole('status').textContent).toMatch(/^Not all parts are healthy, checked at/);
  });

  it('shows the previous result and an error after a failed check', async () => {
    const server = fakeServer({ 'GET /api/diagnostics': { body: userView } });
    const { queries } = showPage(<Diagnostics />);
    await screen.findByRole('region', { name: 'Parts' });
    server.on('GET /api/diagnostics', { status: 503, body: { error: 'A part of the system is restarting.' } });
    await queries.invalidateQueries();
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('The last check failed: the page shows the result of the previous check');
    expect(screen.getByRole('region', { name: 'Parts' })).toBeTruthy();
  });

  it('shows the facts about the browser even if the check fails', async () => {
    fakeServer({ 'GET /api/diagnostics': { status: 503, body: { error: 'A part of the system is restarting.' } } });
    showPage(<Diagnostics />);
    expect((await screen.findByRole('alert')).textContent).toContain('The parts could not be checked');
    expect(screen.getByRole('region', { name: 'Your browser' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Copy report' })).toBeNull();
  });
});
