/** Tests how the text of a help page is rendered. */
import { render } from '@testing-library/react';
import { MemoryRouter } from 'react-router-dom';
import { expect, it } from 'vitest';
import { HelpText } from './markdown.tsx';

it('lets paths in inline code wrap before their slashes, but not paths in code blocks', () => {
  const { container } = render(
    <MemoryRouter>
      <HelpText
        markdown={'Send `GET /api/crosswalks/{id}/translate` to `https://host/api`.\n\n```\ncurl https://host/api\n```'}
      />
    </MemoryRouter>,
  );
  const [call, address, example] = container.querySelectorAll('code');
  expect(call?.innerHTML).toBe('GET <wbr>/api<wbr>/crosswalks<wbr>/{id}<wbr>/translate');
  expect(call?.textContent).toBe('GET /api/crosswalks/{id}/translate');
  expect(address?.innerHTML).toBe('https://host<wbr>/api');
  expect(example?.innerHTML).toBe('curl https://host/api\n');
});
