/** Tests the search of the palette. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderHook } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { useServerSearch } from './search-query.ts';

afterEach(() => vi.unstubAllGlobals());

it('sends no request and finds nothing if the text contains a character that the server does not store', () => {
  const fetch = vi.fn();
  vi.stubGlobal('fetch', fetch);
  const client = new QueryClient();
  const { result } = renderHook(() => useServerSearch('a\0b', []), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  });
  expect(result.current).toMatchObject({ answer: { codes: [], complete: true }, isSearching: false, error: null });
  expect(fetch).not.toHaveBeenCalled();
});
