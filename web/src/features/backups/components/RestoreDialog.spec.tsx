/** Tests the page while a restore is prepared, while the server is not ready, and when the server is ready again. */
import { QueryClient } from '@tanstack/react-query';
import { cleanup, screen, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { fakeServer, showPage } from '../../../testing/page.tsx';
import { RestoreProgress } from './RestoreDialog.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('the page shows the progress of the restore, and reloads its data when the server is ready again', async () => {
  const server = fakeServer({ 'GET /health/ready': { body: {} } });
  const invalidateQueries = vi.spyOn(QueryClient.prototype, 'invalidateQueries');
  showPage(<RestoreProgress restore={{ fileName: 'rdm-7.tar.gz', progress: 40 }} />, { at: '/admin/database-backup' });
  expect(await screen.findByText('A restore of rdm-7.tar.gz is being prepared')).toBeTruthy();
  expect(screen.getByRole('progressbar', { name: 'Restore' }).getAttribute('aria-valuenow')).toBe('40');

  server.on('GET /health/ready', { status: 503, body: {} });
  const dialog = within(await screen.findByRole('dialog', { name: 'The data are being restored' }, { timeout: 5_000 }));
  expect(dialog.getByRole('status', { name: 'Restoring' })).toBeTruthy();
  expect(dialog.queryAllByRole('button')).toEqual([]);
  expect(invalidateQueries).not.toHaveBeenCalled();

  server.on('GET /health/ready', { body: {} });
  await vi.waitFor(() => expect(invalidateQueries).toHaveBeenCalled(), { timeout: 5_000 });
});
