/** Tests the listener for keys of the whole window. */
import { fireEvent, render } from '@testing-library/react';
import { useLayoutEffect } from 'react';
import { expect, it } from 'vitest';
import { useWindowKey } from './index.ts';

it('the listener calls the handler of the latest render, even before the browser paints', () => {
  const called: string[] = [];
  function Listener({ name }: { name: string }) {
    useWindowKey(() => called.push(name));
    return null;
  }
  function Page({ name }: { name: string }) {
    useLayoutEffect(() => void fireEvent.keyDown(window, { key: name }), [name]);
    return <Listener name={name} />;
  }
  const { rerender } = render(<Page name="loading" />);
  rerender(<Page name="loaded" />);
  expect(called).toEqual(['loading', 'loaded']);
});
