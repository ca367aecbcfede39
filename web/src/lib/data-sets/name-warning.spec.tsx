/** Tests the warning about a name that another data set has. */
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, expect, it } from 'vitest';
import { fakeServer, showPage } from '../../testing/page.tsx';
import { useNameWarning } from './index.ts';

afterEach(cleanup);

const WARNING = 'Another data set already has this name. Add a word that distinguishes this data set.';

function NameField({ ownName }: { ownName: string }) {
  const [name, setName] = useState(ownName);
  return (
    <>
      <input aria-label="Name" value={name} onChange={(event) => setName(event.target.value)} />
      <p>{useNameWarning(name, ownName) ?? 'No other data set has the name'}</p>
    </>
  );
}

const showField = (ownName: string) => {
  const response = { items: [{ id: 1, name: 'Countries' }], total: 1 };
  const server = fakeServer({ 'GET /api/reference-data': { body: response } });
  showPage(<NameField ownName={ownName} />);
  return server;
};
const type = (value: string) => fireEvent.change(screen.getByLabelText('Name'), { target: { value } });

it('warns about the name of another data set, ignoring case and surrounding spaces', async () => {
  const server = showField('');
  type(' COUNTRIES');
  expect(await screen.findByText(WARNING)).toBeTruthy();
  type('Countries of Europe');
  expect(screen.queryByText(WARNING)).toBeNull();
  await waitFor(() => expect(server.sent.some(({ query }) => query.get('q') === 'Countries of Europe')).toBe(true));
  expect(screen.queryByText(WARNING)).toBeNull();
});

it('does not warn about the current name of the data set', async () => {
  const server = showField('Countries');
  type('Countrie');
  await waitFor(() => expect(server.sent).not.toEqual([]));
  type('Countries');
  expect(screen.queryByText(WARNING)).toBeNull();
});
