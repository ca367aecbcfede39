/** The command palette: every page that the user can open, and the actions of features. */
import { mayOpen } from '@rdm/contracts/access/permissions';
import { CornerDownLeft, Sparkle } from 'lucide-react';
import { useNavigate } from 'react-router-dom';
import { CommandDialog, CommandGroup, CommandItem } from '../../components/ui/command.tsx';
import { useCurrentUser } from '../../lib/auth/index.ts';
import { useNavEntries } from '../../lib/feature/index.ts';
import { paletteActions } from '../features.ts';

export default function Palette({ onClose }: { onClose: () => void }) {
  const user = useCurrentUser();
  const navigate = useNavigate();
  const entries = useNavEntries();
  const go = (to: string) => {
    onClose();
    navigate(to);
  };
  return (
    <CommandDialog
      label="Search and commands"
      placeholder="Go to…"
      onClose={onClose}
      hint={
        <>
          <CornerDownLeft aria-hidden="true" className="size-3" /> opens · Esc closes
        </>
      }
    >
      <CommandGroup heading="Pages">
        {entries
          .filter((entry) => mayOpen(entry.to, user))
          .map((entry) => (
            <CommandItem key={entry.to} value={`${entry.label} ${entry.to}`} onSelect={() => go(entry.to)}>
              <entry.icon aria-hidden="true" />
              {entry.label}
            </CommandItem>
          ))}
      </CommandGroup>
      <CommandGroup heading="Actions">
        {paletteActions
          .filter((action) => mayOpen(action.to.split('?')[0] ?? '/', user))
          .map((action) => {
            const Icon = action.icon ?? Sparkle;
            return (
              <CommandItem
                key={action.label}
                value={action.label}
                keywords={[...(action.keywords ?? [])]}
                onSelect={() => go(action.to)}
              >
                <Icon aria-hidden="true" />
                {action.label}
              </CommandItem>
            );
          })}
      </CommandGroup>
    </CommandDialog>
  );
}
