/** Tests that a press, which also focuses the tab, is reported once. */
import { fireEvent, render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { Tabs } from './tabs.tsx';

const TABS = (['draft', 'pending'] as const).map((value) => ({ value, label: value }));

it('each press of a tab is reported once', async () => {
  const onValueChange = vi.fn();
  render(
    <Tabs label="Status" value="draft" onValueChange={onValueChange} tabs={TABS}>
      Content
    </Tabs>,
  );
  const pending = screen.getByRole('tab', { name: 'pending' });
  const press = () => {
    fireEvent.mouseDown(pending);
    fireEvent.focus(pending);
  };
  press();
  expect(onValueChange.mock.calls).toEqual([['pending']]);
  await new Promise((resolve) => setTimeout(resolve));
  press();
  expect(onValueChange.mock.calls).toEqual([['pending'], ['pending']]);
});
