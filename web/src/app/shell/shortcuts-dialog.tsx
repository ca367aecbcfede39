/** Lists the keyboard shortcuts, opened by `?`; single-key shortcuts can be turned off here (WCAG 2.1.4). */
import { Button } from '../../components/ui/button.tsx';
import { Dialog } from '../../components/ui/dialog.tsx';
import { Switch } from '../../components/ui/switch.tsx';
import { setSingleKeysEnabled, useSingleKeysEnabled } from '../../lib/shortcuts/index.ts';
import { useHelpForPage } from './help-for-page.ts';

const SHORTCUTS: readonly { keys: readonly string[]; does: string }[] = [
  { keys: ['Ctrl', 'K'], does: 'Search and commands' },
  { keys: ['Ctrl', 'B'], does: 'Collapse or expand the sidebar' },
  { keys: ['?'], does: 'This list, and help for the page' },
  { keys: ['/'], does: 'Search the list' },
  { keys: ['J', 'K'], does: 'Next and previous row (or the arrows)' },
  { keys: ['Enter'], does: 'Open the row' },
  { keys: ['X'], does: 'Select the row (or Space; Shift extends)' },
  { keys: ['Shift', 'F10'], does: 'Menu of the row' },
  { keys: ['A'], does: 'Accept the best suggestion; approve' },
  { keys: ['1', '…', '5'], does: 'Pick a suggestion' },
  { keys: ['T'], does: 'Type a target' },
  { keys: ['S'], does: 'Submit the draft' },
  { keys: ['Shift', 'S'], does: 'Submit the draft with a comment' },
  { keys: ['Shift', 'A'], does: 'Approve with a comment' },
  { keys: ['R'], does: 'Dismiss the best suggestion; reject, with a reason' },
  { keys: ['E'], does: 'Edit the mapping' },
  { keys: ['H'], does: 'History of the mapping' },
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
        {SHORTCUTS.map(({ keys, does }) => (
          <div key={does} className="flex items-center justify-between gap-4 py-1.5">
            <dt>{does}</dt>
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
