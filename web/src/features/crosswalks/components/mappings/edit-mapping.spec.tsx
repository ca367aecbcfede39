/**
 * Tests the dialog that edits a mapping: the hint about the confidence, and the primary actions for a draft and for a
 * rejected mapping.
 */
import { fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fakeServer, showPage } from '../../../../testing/page.tsx';
import { crosswalk, mapping } from '../../fixtures.ts';
import { EditMappingDialog } from './EditMappingDialog.tsx';

afterEach(() => vi.unstubAllGlobals());

function show(overrides: Parameters<typeof mapping>[0]) {
  const row = { id: 9, revision: 1, key: 'DEU', data: { code: 'DEU' } };
  fakeServer({
    'GET /api/reference-data/2/values': { body: { items: [{ value: 'DEU', label: null, ...row }], total: 1 } },
    'GET /api/reference-data/2/instances': { body: { items: [row], total: 1, page: 1, pageSize: 20 } },
    'GET /api/crosswalks/1/mappings': { body: { items: [], total: 0, page: 1, pageSize: 50 } },
  });
  showPage(
    <EditMappingDialog
      crosswalk={crosswalk()}
      mapping={mapping(overrides)}
      onClose={() => undefined}
      onSaved={() => undefined}
    />,
  );
}

describe('editing a mapping', () => {
  it('shows why the confidence changes to 100 when the user chooses another target', async () => {
    Element.prototype.scrollIntoView = () => {};
    vi.stubGlobal(
      'ResizeObserver',
      class {
        observe() {}
        unobserve() {}
        disconnect() {}
      },
    );
    show({ confidence: 75 });
    expect(screen.getByText('0 to 100')).toBeTruthy();
    fireEvent.click(screen.getByLabelText(/^Target in/));
    fireEvent.click(await screen.findByRole('option', { name: /DEU/ }));
    expect(await screen.findByText('100 because you chose this target; previously 75')).toBeTruthy();
    expect(screen.getByRole<HTMLInputElement>('spinbutton').value).toBe('100');
  });

  it.each([
    ['DRAFT', 'Save draft'],
    ['REJECTED', 'Save and submit…'],
  ] as const)('with status %s offers the primary action %s', (status, name) => {
    show({ status });
    const primary = [...document.querySelectorAll<HTMLButtonElement>('button[type="submit"]')];
    expect(primary.map(({ textContent }) => textContent)).toEqual([name]);
  });
});
