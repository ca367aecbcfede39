/** Tests that a field reports that its text is too long, instead of cutting the text. */
import { fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import { Field, Input, Textarea } from './input.tsx';

function Controlled() {
  const [text, setText] = useState('');
  return (
    <Field label="Name" hint="Any text">
      {(control) => <Input {...control} maxLength={5} value={text} onChange={({ target }) => setText(target.value)} />}
    </Field>
  );
}

describe('a field with a maximum length', () => {
  it.each([
    ['controlled input', <Controlled key="controlled" />],
    [
      'uncontrolled input',
      <Field key="uncontrolled" label="Name">
        {(control) => <Input {...control} maxLength={5} />}
      </Field>,
    ],
    [
      'text area',
      <Field key="area" label="Name">
        {(control) => <Textarea {...control} maxLength={5} />}
      </Field>,
    ],
  ])('keeps a text that is too long and reports the problem: %s', (_, page) => {
    render(page);
    const field = screen.getByLabelText<HTMLInputElement>('Name');
    fireEvent.input(field, { target: { value: 'Countries' } });
    expect(field.maxLength).toBe(-1);
    expect(field.value).toBe('Countries');
    const problem = screen.getByText('The text has 9 characters. Shorten it to at most 5.');
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(field.getAttribute('aria-describedby')?.split(' ')).toContain(problem.id);
    fireEvent.input(field, { target: { value: 'Codes' } });
    expect(screen.queryByRole('alert')).toBeNull();
    expect(field.getAttribute('aria-invalid')).toBeNull();
  });
});
