/** Tests which files the dialog uploads. */
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { fakeServer, showPage } from '../../../testing/page.tsx';
import { UploadDialog } from './UploadDialog.tsx';

afterEach(() => vi.unstubAllGlobals());

const choose = (name: string) =>
  fireEvent.change(screen.getByLabelText('File of a backup'), { target: { files: [new File(['x'], name)] } });
const uploadButton = () => screen.getByRole('button', { name: 'Upload' }) as HTMLButtonElement;

it('the dialog uploads only a file with the name of a backup', async () => {
  const server = fakeServer({ 'POST /api/backups/upload': { body: { id: 1 } } });
  const onClose = vi.fn();
  showPage(<UploadDialog onClose={onClose} />);
  choose('countries.csv');
  expect(await screen.findByText(/countries\.csv is not the file of a backup/)).toBeTruthy();
  expect(uploadButton().disabled).toBe(true);

  choose('rdm-20261127T032457Z-7 (1).tar.gz');
  expect(uploadButton().disabled).toBe(false);
  fireEvent.click(uploadButton());
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(server.sent.map(({ method, path }) => `${method} ${path}`)).toContain('POST /api/backups/upload');
});

it('the dialog requires the passphrase of an encrypted file', async () => {
  showPage(<UploadDialog onClose={() => undefined} />);
  choose('rdm-20261127T032457Z-7.tar.gz.age');
  fireEvent.change(await screen.findByLabelText(/Passphrase of the file/), { target: { value: 'a long passphrase' } });
  expect(uploadButton().disabled).toBe(false);
  choose('rdm-20261127T032457Z-7.tar.gz.age');
  fireEvent.change(screen.getByLabelText(/Passphrase of the file/), { target: { value: '' } });
  expect(uploadButton().disabled).toBe(true);
});
