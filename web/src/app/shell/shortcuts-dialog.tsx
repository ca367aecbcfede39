/**
 * Lists the keyboard shortcuts. `?` opens the dialog, and users can turn off single-key shortcuts in it (WCAG 2.1.4).
 */
import { Button } from '../../components/ui/button.tsx';
import { Dialog } from '../../components/ui/dialog.tsx';
import { Switch } from '../../components/ui/switch.tsx';
import { setSingleKeysEnabled, useSingleKeysEnabled } from '../../lib/shortcuts/index.ts';
import { useHelpForPage } from './help-for-page.ts';

const SHORTCUTS: readonly { keys: readonly string[]; action: string }[] = [
  { keys: ['Ctrl', 'K'], action: 'Open or close the search' },
  { keys: ['Ctrl', 'B'], action: 'Collapse or expand the sidebar' },
  { keys: ['?'], action: 'Show this list, with a link to the help for the page' },
  { keys: ['/'], action: 'Search the list' },
  { keys: ['J', 'K'], action: 'Move to the next or previous row (or the arrow keys)' },
  { keys: ['Enter'], action: 'Open the row' },
  { keys: ['X'], action: 'Select the row (or Space); Shift extends the selection' },
  { keys: ['Shift', 'F10'], action: 'Open the menu of the row' },
  { keys: ['A'], action: 'Accept the best suggestion, or approve the mapping or value' },
  { keys: ['1', '…', '5'], action: 'Pick a suggestion' },
  { keys: ['T'], action: 'Type a target' },
  { keys: ['S'], action: 'Submit the draft' },
  { keys: ['Shift', 'S'], action: 'Submit the draft with a comment' },
  { keys: ['Shift', 'A'], action: 'Approve with a comment' },
  { keys: ['R'], action: 'Dismiss the best suggestion, or reject the mapping or value with a reason' },
  { keys: ['E'], action: 'Edit the mapping or value' },
  { keys: ['H'], action: 'Show the history of the mapping or value' },
  { keys: ['U'], action: 'Restore the deleted mapping or value, or mark the notification as read or unread' },
];

export function ShortcutsDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const enabled = useSingleKeysEnabled();
  const openHelp = useHelpForPage();
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Keyboard shortcuts"
      description="On a Mac, use ⌘ instead of Ctrl."
    >
      <dl className="divide-y divide-hairline">
        {SHORTCUTS.map(({ keys, action }) => (
          <div key={action} className="flex items-center justify-between gap-4 py-1.5">
            <dt>{action}</dt>
            <dd className="flex gap-1">
              {keys.map((key) => (
                <kbd key={key} className="rounded-sm border border-control bg-hover px-1.5 font-mono text-xs">
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <div className="mt-4 flex flex-wrap items-center justify-between gap-2">
        <Button
          onClick={() => {
            onOpenChange(false);
            void openHelp();
          }}
        >
          Help for this page
        </Button>
        <Switch label="Single-key shortcuts" checked={enabled} onCheckedChange={setSingleKeysEnabled} />
      </div>
    </Dialog>
  );
}
