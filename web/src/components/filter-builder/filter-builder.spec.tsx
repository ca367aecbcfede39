/** Tests that the filter builder sends the displayed conditions and drops no input silently. */
import type { FilterField, FilterGroup } from '@rdm/contracts/lists/filter';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen, within } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { FilterBuilder } from './index.tsx';

const FIELDS: readonly FilterField[] = [
  { name: 'code', label: 'Code', dataType: 'string' },
  { name: 'rank', label: 'Rank', dataType: 'number' },
  { name: 'updatedAt', label: 'Updated', dataType: 'datetime' },
];

type Condition = FilterGroup['conditions'][number];

function show(...conditions: Condition[]) {
  const applied = vi.fn();
  const group: FilterGroup | undefined = conditions.length === 0 ? undefined : { logic: 'AND', conditions };
  function Page() {
    const [value, setValue] = useState(group);
    return (
      <FilterBuilder
        fields={FIELDS}
        value={value}
        onChange={(next) => {
          applied(next);
          setValue(next);
        }}
      />
    );
  }
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Page />
    </QueryClientProvider>,
  );
  fireEvent.click(screen.getByRole('button', { name: /^Filter/ }));
  return applied;
}

const apply = () => fireEvent.click(screen.getByRole('button', { name: 'Apply' }));
const conditionsApplied = (applied: ReturnType<typeof vi.fn>) => applied.mock.lastCall?.[0]?.conditions;

describe('an incomplete condition', () => {
  it('prevents applying the filter and moves the focus to its missing part', () => {
    const applied = show(
      { field: 'code', operator: 'equals', value: '7' },
      { field: 'rank', operator: 'between', value: [1] },
    );
    apply();
    expect(applied).not.toHaveBeenCalled();
    const to = screen.getByRole('spinbutton', { name: 'To' });
    expect(to.getAttribute('aria-invalid')).toBe('true');
    const message = document.getElementById(to.getAttribute('aria-describedby') ?? '');
    expect(message?.textContent).toBe('Enter the end');
    expect(screen.getByRole('spinbutton', { name: 'From' }).getAttribute('aria-invalid')).toBeNull();
    expect(document.activeElement).toBe(to);
    expect(screen.getByRole('alert').textContent).toContain('One condition is not finished');

    fireEvent.change(to, { target: { value: '2.5' } });
    apply();
    expect(conditionsApplied(applied)).toEqual([
      { field: 'code', operator: 'equals', value: '7' },
      { field: 'rank', operator: 'between', value: [1, 2.5] },
    ]);
  });

  it('prevents applying the filter if the user has entered nothing', () => {
    const applied = show();
    apply();
    expect(applied).not.toHaveBeenCalled();
    expect(screen.getByText('Enter a value')).toBeTruthy();
  });
});

describe('a condition on a missing field', () => {
  it('reports the field, and can be removed without the other conditions', () => {
    const kept = { field: 'rank', operator: 'equals', value: 1 } as const;
    const applied = show({ field: 'old', operator: 'equals', value: 'x' }, kept);
    expect(screen.getByText('“old” is not a filter field of this list: remove this condition')).toBeTruthy();
    expect(screen.getAllByRole('combobox', { name: 'Field' })).toHaveLength(1);
    apply();
    expect(applied).not.toHaveBeenCalled();

    fireEvent.click(screen.getAllByRole('button', { name: 'Remove condition' })[0] as HTMLElement);
    apply();
    expect(conditionsApplied(applied)).toEqual([kept]);
  });
});

describe('a date with a time', () => {
  it('is entered in the user’s time zone and sent as an instant', () => {
    const applied = show({ field: 'updatedAt', operator: 'less_than' });
    const value = screen.getByLabelText<HTMLInputElement>('Value');
    fireEvent.change(value, { target: { value: '2026-01-15T09:30' } });
    expect(value.value).toBe('2026-01-15T09:30');
    apply();
    expect(conditionsApplied(applied)).toEqual([
      { field: 'updatedAt', operator: 'less_than', value: new Date(2026, 0, 15, 9, 30).toISOString() },
    ]);
  });

  it('is sent as an instant and displayed in the user’s time zone in a list of values', () => {
    const instant = new Date(2026, 0, 15, 9, 30).toISOString();
    const applied = show({ field: 'updatedAt', operator: 'in', value: [instant] });
    expect(within(screen.getByRole('list', { name: 'Values' })).getByText('2026-01-15 09:30')).toBeTruthy();
    const value = screen.getByLabelText('Add a value');
    fireEvent.change(value, { target: { value: '2026-01-16T10:00' } });
    fireEvent.blur(value);
    apply();
    expect(conditionsApplied(applied)[0].value).toEqual([instant, new Date(2026, 0, 16, 10).toISOString()]);
  });
});

describe('values of a list', () => {
  const displayedValues = () =>
    within(screen.getByRole('list', { name: 'Values' })).getAllByText(/\S/, { selector: 'span' });
  const paste = (text: string) =>
    fireEvent.paste(screen.getByLabelText('Add a value'), { clipboardData: { getData: () => text } });

  it('are entered one by one, with commas and blanks as part of a value', () => {
    const applied = show({ field: 'code', operator: 'in' });
    const value = screen.getByLabelText('Add a value');
    fireEvent.change(value, { target: { value: ' A, B' } });
    fireEvent.keyDown(value, { key: 'Enter' });
    fireEvent.change(value, { target: { value: '007' } });
    // Text that the user has not confirmed becomes a value when the field loses the focus.
    fireEvent.blur(value);
    expect(displayedValues().map(({ textContent }) => textContent)).toEqual([' A, B', '007']);
    apply();
    expect(conditionsApplied(applied)[0].value).toEqual([' A, B', '007']);
  });

  it('can be pasted as lines and cells, without duplicates, and removed one by one', () => {
    const applied = show({ field: 'code', operator: 'in' });
    paste('A,1\r\nB\r\nB\tC\r\n');
    expect(displayedValues().map(({ textContent }) => textContent)).toEqual(['A,1', 'B', 'C']);
    fireEvent.click(screen.getByRole('button', { name: 'Remove value B' }));
    apply();
    expect(conditionsApplied(applied)[0].value).toEqual(['A,1', 'C']);
  });

  it('are reported and not applied if they have the wrong type', () => {
    const applied = show({ field: 'rank', operator: 'in' });
    paste('1\nx\n2.5');
    expect(screen.getByText('“x” is not a number')).toBeTruthy();
    const value = screen.getByLabelText<HTMLInputElement>('Add a value');
    fireEvent.change(value, { target: { value: 'y' } });
    fireEvent.blur(value);
    expect(value.validationMessage).toBe('“y” is not a number');
    fireEvent.change(value, { target: { value: '' } });
    apply();
    expect(conditionsApplied(applied)[0].value).toEqual([1, 2.5]);
  });
});
