/** Tests the text above the preview of suggestions. */
import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { fakeServer, showPage, steward } from '../../../../testing/page.tsx';
import { SuggestionPreview } from './SuggestionPreview.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('the preview counts source values that match a target value or label, and mentions similar values', async () => {
  const candidate = { targetValue: 'DEU', targetLabel: 'Germany', confidence: 90, reason: 'Equal labels' };
  const items = [{ sourceValue: 'DE', sourceLabel: 'Germany', candidates: [candidate] }];
  fakeServer({
    'GET /api/crosswalks/suggestions-preview': { body: { items, suggested: 1, sourceValues: 300, position: '1' } },
  });
  const sides = { sourceSystemId: 1, targetSystemId: 2, sourceAttribute: 'code', targetAttribute: 'code' };
  const labels = { sourceLabelField: undefined, targetLabelField: undefined };
  showPage(<SuggestionPreview input={{ ...sides, ...labels, threshold: 40 }} />, { user: steward });
  const text = await screen.findByText(
    /^1 of 300 source values match a target value or label, ignoring case, accents and punctuation/,
  );
  expect(text.textContent).toMatch(/Similar values are suggested too\.$/);
});
