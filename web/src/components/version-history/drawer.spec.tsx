/** Tests the history of a reviewed record: the changes of each version, and the comparison with the newest version. */
import type { VersionView } from '@rdm/contracts/review/approval';
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fakeServer, showPage } from '../../testing/page.tsx';
import { HistoryDrawer } from './index.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

interface Version extends VersionView {
  target: string;
}

const version = (seq: number, type: string, newStatus: Version['newStatus'], target: string) =>
  ({
    seq,
    revision: seq,
    type,
    newStatus,
    target,
    timestamp: '2026-01-31T12:00:00.000Z',
    userId: 3,
    apiKeyId: null,
    apiKeyName: null,
  }) as Version;

const VERSIONS = [
  version(3, 'MappingsSubmitted', 'PENDING', 'DEU'),
  version(2, 'MappingTargetChanged', 'DRAFT', 'DEU'),
  { ...version(1, 'MappingsDrafted', 'DRAFT', 'D'), apiKeyId: 7, apiKeyName: 'Nightly' },
];

const show = () =>
  showPage(
    <HistoryDrawer
      title="DE → DEU"
      query={{ queryKey: ['history'], queryFn: async () => VERSIONS }}
      status="Pending"
      compare={(before, after) => [{ label: 'Target', before: before.target, after: after.target }]}
      onClose={() => undefined}
    />,
  );

describe('the history', () => {
  it('shows only the fields that a version changed', async () => {
    fakeServer({ 'GET /api/users/names': { body: [{ id: 3, username: 'approver', displayName: 'Ada' }] } });
    show();
    const [submitted, changed, drafted] = await screen.findAllByRole('listitem');
    expect(submitted?.textContent).not.toContain('Target');
    expect(changed?.textContent).toContain('before: D');
    expect(changed?.textContent).toContain('after: DEU');
    expect(drafted?.textContent).not.toContain('Target');
  });

  it('names the user, or the API key with its creator', async () => {
    fakeServer({ 'GET /api/users/names': { body: [{ id: 3, username: 'approver', displayName: 'Ada' }] } });
    show();
    expect(await screen.findByText('API key "Nightly" (Ada)', { exact: false })).toBeTruthy();
    expect(screen.getAllByText(/Ada ·/)).toHaveLength(2);
  });

  it('compares older versions with the newest version, including the status', async () => {
    fakeServer({ 'GET /api/users/names': { body: [] } });
    show();
    const [submitted, , drafted] = (await screen.findAllByRole('listitem')) as [HTMLElement, HTMLElement, HTMLElement];
    expect(within(submitted).queryByRole('button')).toBeNull();
    fireEvent.click(within(drafted).getByRole('button', { name: 'Compare with the current version' }));
    expect(drafted.textContent).toContain('Target− before: D+ after: DEU');
    expect(drafted.textContent).toContain('Status− before: DRAFT+ after: PENDING');
  });
});
