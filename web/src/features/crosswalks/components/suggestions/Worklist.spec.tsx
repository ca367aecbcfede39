/** Tests the list of suggestions after a user dismisses a row. */
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { fakeServer, showPage } from '../../../../testing/page.tsx';
import { crosswalk, mapping, suggestion } from '../../fixtures.ts';
import { Worklist } from './Worklist.tsx';

afterEach(() => vi.unstubAllGlobals());

/**
 * Shows AT and BE, each with its best candidate. `others` are the other candidates of AT. `sendCandidates` sends the
 * response to the request for all candidates.
 */
async function showSuggestions(others: [target: string, confidence: number][]) {
  const suggestedMapping = (sourceValue: string, targetValue: string) => ({
    ...mapping({ sourceValue, targetValue }),
    reason: 'Same value',
  });
  fakeServer({
    'GET /api/crosswalks/1/mappings': {
      body: { items: [suggestedMapping('AT', 'AUT'), suggestedMapping('BE', 'BEL')], total: 2, progress: null },
    },
    'GET /api/crosswalks/1/suggestions': {
      body: { items: [suggestion('AT', ['AUT', 100], ...others), suggestion('BE', ['BEL', 100])], total: 2 },
    },
    'POST /api/crosswalks/1/suggestions/dismiss': { body: { results: [{ id: 1, outcome: 'done' }] } },
  });
  const fakeFetch = globalThis.fetch;
  let sendCandidates = () => {};
  const candidatesSent = new Promise<void>((resolve) => {
    sendCandidates = resolve;
  });
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    if (url.includes('/suggestions?')) await candidatesSent;
    return fakeFetch(url, init);
  });
  const live = { many: 0, others: 0, own: 0 };
  showPage(
    <Worklist crosswalk={crosswalk()} tab="suggested" live={live} onUndoable={() => undefined} emptyAction={null} />,
  );
  const row = (await screen.findByText('AUT')).closest<HTMLElement>('[data-row]');
  row?.focus();
  return { row, sendCandidates };
}

const rowKeys = () =>
  [...document.querySelectorAll<HTMLElement>('[data-row-key]')].map(({ dataset }) => dataset['rowKey']);
const dismiss = (row: HTMLElement | null) => fireEvent.keyDown(row as HTMLElement, { key: 'r' });

it('keeps the row and its focus when its best candidate is dismissed, while and after the next one is loaded', async () => {
  const { row, sendCandidates } = await showSuggestions([['AUS', 60]]);
  dismiss(row);
  expect((await screen.findByText('Loading other candidates…')).getAttribute('aria-busy')).toBe('true');
  expect(rowKeys()).toEqual(['AT', 'BE']);
  expect(document.activeElement).toBe(row);
  sendCandidates();
  await screen.findByText('AUS');
  expect(rowKeys()).toEqual(['AT', 'BE']);
  expect(document.activeElement).toBe(row);
});

it('removes a dismissed row if the server returns no other candidate', async () => {
  const { row, sendCandidates } = await showSuggestions([]);
  dismiss(row);
  await screen.findByText('Loading other candidates…');
  sendCandidates();
  await waitFor(() => expect(rowKeys()).toEqual(['BE']));
});
