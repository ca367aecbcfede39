/** Tests the accessible names and descriptions of options. */
import { fireEvent, render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Select } from './select.tsx';

it('an option has its detail as the description, not in the name', () => {
  const options = [
    { value: 'READ', label: 'READ', detail: 'view the data' },
    { value: 'NONE', label: 'NONE' },
  ];
  render(<Select aria-label="Level" value="READ" onValueChange={() => undefined} options={options} />);
  expect(screen.getByRole('combobox').textContent).toBe('READ');
  fireEvent.keyDown(screen.getByRole('combobox'), { key: 'Enter' });
  const described = screen.getByRole('option', { name: 'READ', description: 'view the data' });
  expect(described.textContent).toContain('view the data');
  expect(screen.getByRole('option', { name: 'NONE', description: '' }).textContent).toBe('NONE');
});
