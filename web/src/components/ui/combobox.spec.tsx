/** Tests the search of a combobox, and which option Enter and a click select, also while results are loading. */
import { act, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { Combobox, type ComboboxOption } from './combobox.tsx';

const option = (value: string): ComboboxOption => ({ value, label: value });

/** A combobox whose results arrive when the test provides them. */
function show({ value }: { value?: string } = {}) {
  const chosen = vi.fn();
  let answer: (options: ComboboxOption[]) => void = () => undefined;
  let change: (open: boolean) => void = () => undefined;
  let offersText = false;
  function Page() {
    const [search, setSearch] = useState('');
    const [open, setOpen] = useState(true);
    change = setOpen;
    const [results, setResults] = useState({ text: '', options: [option('Airports'), option('Banks')] });
    answer = (options) => setResults({ text: search, options });
    return (
      <Combobox
        label="Data sets"
        value={value}
        open={open}
        onOpenChange={setOpen}
        onValueChange={chosen}
        search={search}
        onSearchChange={setSearch}
        loading={results.text !== search}
        options={offersText ? [...results.options, { ...option(search), isTypedText: true }] : results.options}
      />
    );
  }
  const { rerender } = render(<Page />);
  const field = () => {
    act(() => change(true));
    return screen.getByPlaceholderText('Type to search');
  };
  return {
    chosen,
    close: () => act(() => change(false)),
    offerText: () => {
      offersText = true;
    },
    type: (text: string) => fireEvent.change(field(), { target: { value: text } }),
    press: (key: string) => fireEvent.keyDown(field(), { key }),
    arrive: (...values: string[]) => {
      answer(values.map(option));
      rerender(<Page />);
    },
  };
}

describe('the combobox', () => {
  it('highlights the selected option when the list opens', () => {
    const { chosen, press } = show({ value: 'Banks' });
    press('Enter');
    expect(chosen.mock.calls).toEqual([['Banks']]);
  });

  it('lists the selected option first if the results do not contain it', () => {
    const { chosen, press } = show({ value: 'Zones' });
    expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual(['Zones', 'Airports', 'Banks']);
    press('Enter');
    expect(chosen).not.toHaveBeenCalled();
  });

  it('delays Enter until the results for the typed text arrive, then selects the first result', () => {
    const { chosen, type, press, arrive } = show();
    type('cur');
    press('Enter');
    expect(chosen).not.toHaveBeenCalled();
    arrive('Currencies', 'Currency pairs');
    expect(chosen.mock.calls).toEqual([['Currencies']]);
  });

  it('cancels a delayed Enter when the text changes', () => {
    const { chosen, type, press, arrive } = show();
    type('cur');
    press('Enter');
    type('curr');
    arrive('Currencies');
    expect(chosen).not.toHaveBeenCalled();
  });

  it('cancels a delayed Enter when the user presses Escape', () => {
    const { chosen, type, press, arrive } = show();
    type('cur');
    press('Enter');
    press('Escape');
    arrive('Currencies');
    expect(chosen).not.toHaveBeenCalled();
  });

  it('keeps a delayed Enter when the user moves to another field', () => {
    const { chosen, type, press, close, arrive } = show();
    type('cur');
    press('Enter');
    close();
    expect(screen.getByRole('button').textContent).toBe('Searching “cur” …');
    arrive('Currencies');
    expect(chosen.mock.calls).toEqual([['Currencies']]);
  });

  it('selects the typed text itself only if there are no results', () => {
    const { chosen, type, press, arrive, offerText } = show();
    offerText();
    type('Esto');
    arrive('Estonia');
    press('Enter');
    type('Nowhere');
    arrive();
    press('Enter');
    expect(chosen.mock.calls).toEqual([['Estonia'], ['Nowhere']]);
  });

  it('starts a search with a letter typed on the closed button', () => {
    const { close } = show();
    close();
    fireEvent.keyDown(screen.getByRole('button'), { key: 'c' });
    expect((screen.getByPlaceholderText('Type to search') as HTMLInputElement).value).toBe('c');
  });

  it('opens with an empty search field, even after an earlier search', () => {
    const { type, close } = show();
    type('view');
    close();
    fireEvent.click(screen.getByRole('button'));
    expect((screen.getByPlaceholderText('Type to search') as HTMLInputElement).value).toBe('');
  });

  it('selects nothing if the text has no results', () => {
    const { chosen, type, press, arrive } = show();
    type('zzz');
    press('Enter');
    arrive();
    expect(chosen).not.toHaveBeenCalled();
  });

  it('prefers an option that equals the typed text, ignoring case', () => {
    const { chosen, type, press, arrive } = show();
    type('countries');
    arrive('All countries', 'Countries');
    press('Enter');
    expect(chosen.mock.calls).toEqual([['Countries']]);
  });

  it('highlights the best option again after a new search', () => {
    const { chosen, type, press, arrive } = show();
    type('cur');
    arrive('Currencies', 'Currency pairs');
    press('ArrowDown');
    type('curr');
    arrive('Currencies', 'Currency pairs');
    press('Enter');
    expect(chosen.mock.calls).toEqual([['Currencies']]);
  });

  it('selects the option that the arrow keys reached', () => {
    const { chosen, type, press, arrive } = show();
    type('cur');
    arrive('Currencies', 'Currency pairs');
    press('ArrowDown');
    press('Enter');
    expect(chosen.mock.calls).toEqual([['Currency pairs']]);
  });

  it('moves no option while the pointer is pressed on the list', () => {
    const { arrive, chosen, type } = show();
    type('b');
    const banks = screen.getByRole('option', { name: 'Banks' });
    fireEvent.pointerDown(banks);
    arrive('Banks', 'Bonds');
    expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual(['Airports', 'Banks']);
    fireEvent.click(banks);
    expect(chosen.mock.calls).toEqual([['Banks']]);
  });

  it('ignores a click on an option that is missing in new results', () => {
    const { arrive, chosen, type } = show();
    const names = () => screen.getAllByRole('option').map(({ textContent }) => textContent);
    type('b');
    fireEvent.pointerDown(screen.getByRole('option', { name: 'Banks' }));
    arrive('Bonds');
    fireEvent.pointerLeave(screen.getByRole('listbox'));
    expect(names()).toEqual(['Bonds']);
    const bonds = screen.getByRole('option', { name: 'Bonds' });
    fireEvent.pointerDown(bonds);
    arrive('Banks');
    fireEvent.click(bonds);
    expect(names()).toEqual(['Banks']);
    expect(chosen).not.toHaveBeenCalled();
  });
});
