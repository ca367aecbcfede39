/** The command palette: every page that the user can open, the actions of features, and the help. */
import { mayOpen } from '@rdm/contracts/access/permissions';
import { useQuery } from '@tanstack/react-query';
import { CircleHelp, CornerDownLeft, Sparkle } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { CommandDialog, CommandGroup, CommandItem } from '../../components/ui/command.tsx';
import { useCurrentUser } from '../../lib/auth/index.ts';
import { useNavEntries } from '../../lib/feature/index.ts';
import { paletteActions } from '../features.ts';
import { loadHelp } from './help-for-page.ts';

export default function Palette({ onClose }: { onClose: () => void }) {
  const user = useCurrentUser();
  const navigate = useNavigate();
  const entries = useNavEntries();
  const [query, setQuery] = useState('');
  const found = useHelpResults(query);
  const go = (to: string) => {
    onClose();
    navigate(to);
  };
  return (
    <CommandDialog
      label="Search and commands"
      placeholder="Go to…"
      onClose={onClose}
      onQuery={setQuery}
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
      {found.length > 0 && (
        <CommandGroup heading="Help">
          {found.map(({ to, page, section }) => (
            // The query as a keyword keeps what the search found: it may use other words than the text.
            <CommandItem key={to} value={`Help ${to}`} keywords={[query]} onSelect={() => go(to)}>
              <CircleHelp aria-hidden="true" />
              {section.heading === '' ? page.title : `${page.title} › ${section.heading}`}
            </CommandItem>
          ))}
        </CommandGroup>
      )}
    </CommandDialog>
  );
}

const MOST_HELP = 5;

/** The sections of the help that answer the query; none before the help is loaded. */
function useHelpResults(query: string) {
  const { data: help } = useQuery({ queryKey: ['help'], queryFn: loadHelp, staleTime: Number.POSITIVE_INFINITY });
  return query.trim() === '' || help === undefined ? [] : help.searchHelp(query).slice(0, MOST_HELP);
}
