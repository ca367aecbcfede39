/** Tests how the text of a help page is rendered. */
import { render } from '@testing-library/react';
import { MemoryRouter } from 'react-router-dom';
import { expect, it } from 'vitest';
import { HelpText } from './markdown.tsx';

it('wraps code before the slashes of a path, and leaves its text unchanged', () => {
  const { container } = render(
    <MemoryRouter>
      <HelpText markdown="Send `GET /api/crosswalks/{id}/translate` to `https://host/api`." />
    </MemoryRouter>,
  );
  const [call, address] = container.querySelectorAll('code');
  expect(call?.innerHTML).toBe('GET <wbr>/api<wbr>/crosswalks<wbr>/{id}<wbr>/translate');
  expect(call?.textContent).toBe('GET /api/crosswalks/{id}/translate');
  expect(address?.innerHTML).toBe('https:<wbr>//host<wbr>/api');
});
