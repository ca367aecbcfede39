/** Tests single-key shortcuts on the focused row. */
import { fireEvent, render, screen } from '@testing-library/react';
import { useRef, useState } from 'react';
import { describe, expect, it } from 'vitest';
import { AWAITS_TEXT_FIELD } from './index.ts';
import { useRowKeys } from './row-keys.ts';

function List({ openRowKey }: { openRowKey?: string }) {
  const area = useRef<HTMLDivElement>(null);
  const [rows, setRows] = useState(['AT', 'DE', 'FR']);
  const removeRow = (pressedKey: string, rowKey: string) => {
    if (pressedKey !== 'a') return false;
    setRows((current) => current.filter((row) => row !== rowKey));
    return true;
  };
  useRowKeys(area, removeRow, openRowKey);
  return (
    <div ref={area}>
      {rows.map((row, index) => (
        <button type="button" key={row} data-row={index} tabIndex={index === 0 ? 0 : -1}>
          <span data-row-key={row}>{row}</span>
        </button>
      ))}
      <input aria-label="Search" />
    </div>
  );
}

const listedRows = () => screen.queryAllByRole('button').map((row) => row.textContent);
const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });

describe('a shortcut letter', () => {
  it('moves the focus to the first row if no row has had the focus, and acts when it is pressed again', () => {
    render(<List />);
    press('a');
    expect(listedRows()).toEqual(['AT', 'DE', 'FR']);
    expect(document.activeElement?.textContent).toBe('AT');
    press('a');
    expect(listedRows()).toEqual(['DE', 'FR']);
  });

  it('moves the focus back to the list after another control had the focus, and acts when it is pressed again', () => {
    render(
      <>
        <a href="#tab">Tab</a>
        <List />
      </>,
    );
    screen.getByRole('button', { name: 'DE' }).focus();
    screen.getByRole('link', { name: 'Tab' }).focus();
    press('a');
    expect(listedRows()).toEqual(['AT', 'DE', 'FR']);
    expect(document.activeElement?.textContent).toBe('AT');
    press('a');
    expect(listedRows()).toEqual(['DE', 'FR']);
  });

  it('acts on the row whose record is open beside the list if no row has had the focus, but not while a field has the focus', () => {
    render(<List openRowKey="DE" />);
    screen.getByLabelText('Search').focus();
    press('a');
    expect(listedRows()).toEqual(['AT', 'DE', 'FR']);
    screen.getByLabelText('Search').blur();
    press('a');
    expect(listedRows()).toEqual(['AT', 'FR']);
  });

  it('acts on the focused row', () => {
    render(<List />);
    screen.getByRole('button', { name: 'DE' }).focus();
    press('a');
    expect(listedRows()).toEqual(['AT', 'FR']);
  });

  it('acts on the row that takes the place of the removed row when it is pressed again', () => {
    render(<List />);
    screen.getByRole('button', { name: 'AT' }).focus();
    press('a');
    expect(document.activeElement?.textContent).toBe('DE');
    press('a');
    press('a');
    expect(listedRows()).toEqual([]);
  });

  it('is plain text while the user types', () => {
    render(<List />);
    screen.getByRole('button', { name: 'AT' }).focus();
    screen.getByLabelText('Search').focus();
    press('a');
    expect(listedRows()).toEqual(['AT', 'DE', 'FR']);
  });

  it('is plain text after a click on a field, even if the field does not have the focus or is still loading, until something else is clicked', () => {
    render(
      <>
        <List openRowKey="DE" />
        <p {...AWAITS_TEXT_FIELD}>Loading</p>
        <p>Elsewhere</p>
      </>,
    );
    for (const clicked of [screen.getByLabelText('Search'), screen.getByText('Loading')]) {
      fireEvent.pointerDown(clicked);
      press('a');
      expect(listedRows()).toEqual(['AT', 'DE', 'FR']);
    }
    fireEvent.pointerDown(screen.getByText('Elsewhere'));
    press('a');
    expect(listedRows()).toEqual(['AT', 'FR']);
  });

  it('acts again when a row gets the focus after a click on a field', () => {
    render(<List />);
    fireEvent.pointerDown(screen.getByLabelText('Search'));
    screen.getByRole('button', { name: 'DE' }).focus();
    press('a');
    expect(listedRows()).toEqual(['AT', 'FR']);
  });

  it('changes nothing if it has no action', () => {
    render(<List />);
    screen.getByRole('button', { name: 'AT' }).focus();
    press('z');
    expect(listedRows()).toEqual(['AT', 'DE', 'FR']);
  });
});
