/** Tests the announcements of the command dialog to screen readers. */
import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { CommandDialog, CommandGroup, CommandItem } from './command.tsx';

const dialog = (commands: Record<string, string[]>, status?: string) => (
  <CommandDialog
    label="Search"
    placeholder="Type to search"
    query="print"
    onQuery={() => undefined}
    maxLength={100}
    onClose={() => undefined}
    opener={undefined}
    empty="Nothing found."
    status={status}
    hint="Esc closes"
  >
    {Object.entries(commands).map(([heading, values]) => (
      <CommandGroup key={heading} heading={heading}>
        {values.map((value) => (
          <CommandItem key={value} value={value}>
            {value}
          </CommandItem>
        ))}
      </CommandGroup>
    ))}
  </CommandDialog>
);
const readAnnouncement = () => screen.getByRole('status').textContent;

it('the dialog announces the number of commands in all groups', () => {
  const { rerender } = render(dialog({ Pages: ['Monitor'], Help: ['Printing', 'Export data'] }));
  expect(readAnnouncement()).toBe('3 results');
  rerender(dialog({ Help: ['Printing'] }));
  expect(readAnnouncement()).toBe('1 result');
  rerender(dialog({}));
  expect(readAnnouncement()).toBe('0 results');
});

it('the dialog announces the given status instead of the number of commands', () => {
  render(dialog({ Pages: ['Monitor'] }, 'Searching…'));
  expect(readAnnouncement()).toBe('Searching…');
});
