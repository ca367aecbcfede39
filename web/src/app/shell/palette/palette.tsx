/** The command palette. It finds pages, actions, help, and the data on the server that the user can read. */
import { mayOpen } from '@rdm/contracts/access/permissions';
import { type FoundCode, SEARCH_TEXT_MAX } from '@rdm/contracts/search/search';
import { useQuery } from '@tanstack/react-query';
import { CircleHelp, CornerDownLeft, Sparkle, Table2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { Button } from '../../../components/ui/button.tsx';
import { CommandDialog, CommandGroup, CommandItem } from '../../../components/ui/command.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { openedDataSetsQuery } from '../../../lib/data-sets/index.ts';
import { useOpenedDataSets } from '../../../lib/data-sets/recent-data-sets.ts';
import { useNavEntries } from '../../../lib/feature/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { paletteActions } from '../../features.ts';
import { loadHelp } from '../help-for-page.ts';
import { bestMatches } from './matches.ts';
import { type SearchState, useServerSearch } from './search-query.ts';
import { PlacesOfCode, ServerResults } from './server-results.tsx';

export interface PaletteProps {
  label: string;
  placeholder: string;
  query: string;
  onQuery: (query: string) => void;
  /** The element that gets the focus again when the palette closes. */
  opener: HTMLElement | undefined;
  onClose: () => void;
}

export default function Palette({ query, onQuery, onClose, ...props }: PaletteProps) {
  const navigate = useNavigate();
  const user = useCurrentUser();
  const recent = useOpenedDataSets(user.id);
  const typed = query.trim();
  const search = useServerSearch(typed, recent);
  const help = useHelpResults(typed);
  const openedDataSets = useQuery(openedDataSetsQuery(recent));
  // An empty query lists no pages or actions until the recent data sets, which appear above them, are loaded.
  const isListed = typed !== '' || recent.length === 0 || !openedDataSets.isPending;
  /** The selected code, if several data sets have it. */
  const [selectedCode, setSelectedCode] = useState<FoundCode>();
  const open = (to: string) => {
    onClose();
    navigate(to);
  };
  const changeQuery = (changed: string) => {
    setSelectedCode(undefined);
    onQuery(changed);
  };
  return (
    <CommandDialog
      {...props}
      query={query}
      onQuery={changeQuery}
      maxLength={SEARCH_TEXT_MAX}
      onClose={onClose}
      empty={search.isSearching || !isListed ? 'Searching…' : 'Nothing found.'}
      status={statusOf(search)}
      note={typed === '' ? <Scope isAdmin={user.isAdmin} /> : <SearchNote search={search} />}
      hint={
        <>
          <CornerDownLeft aria-hidden="true" className="size-3" /> opens · Esc closes
        </>
      }
    >
      {selectedCode !== undefined ? (
        <PlacesOfCode foundCode={selectedCode} onOpen={open} />
      ) : (
        <>
          {typed === '' && <RecentDataSets dataSets={openedDataSets.data ?? []} onOpen={open} />}
          {isListed && <PagesAndActions query={typed} onOpen={open} />}
          {/* The server's results appear below the pages and actions, so that the selected option does not move. */}
          {search.answer && <ServerResults answer={search.answer} onOpen={open} onShowPlaces={setSelectedCode} />}
          {!search.isSearching && help.length > 0 && (
            <CommandGroup heading="Help">
              {help.map(({ to, page, section }) => (
                <CommandItem key={to} value={`help ${to}`} onSelect={() => open(to)}>
                  <CircleHelp aria-hidden="true" />
                  <span className="truncate">
                    {section.heading === '' ? page.title : `${page.title} › ${section.heading}`}
                  </span>
                </CommandItem>
              ))}
            </CommandGroup>
          )}
        </>
      )}
    </CommandDialog>
  );
}

interface RecentDataSetsProps {
  dataSets: readonly { id: number; name: string }[];
  onOpen: (to: string) => void;
}

function RecentDataSets({ dataSets, onOpen }: RecentDataSetsProps) {
  const user = useCurrentUser();
  const permitted = dataSets.filter(({ id }) => mayOpen(`/reference-data/${id}`, user));
  if (permitted.length === 0) return null;
  return (
    <CommandGroup heading="Recently opened">
      {permitted.map(({ id, name }) => (
        <CommandItem key={id} value={`recent ${id}`} onSelect={() => onOpen(`/reference-data/${id}`)}>
          <Table2 aria-hidden="true" />
          <span className="truncate">{name}</span>
        </CommandItem>
      ))}
    </CommandGroup>
  );
}

function PagesAndActions({ query, onOpen }: { query: string; onOpen: (to: string) => void }) {
  const user = useCurrentUser();
  const pages = useNavEntries().filter((entry) => mayOpen(entry.to, user));
  const actions = paletteActions.filter(
    ({ to, ability }) =>
      mayOpen(to.split('?')[0] ?? '/', user) &&
      (ability === undefined || user.isAdmin || user.permissions.includes(ability)),
  );
  const shownPages = bestMatches(query, pages, ({ label, to }) => [label, to]);
  const shownActions = bestMatches(query, actions, ({ label, keywords = [] }) => [label, ...keywords]);
  return (
    <>
      {shownPages.length > 0 && (
        <CommandGroup heading="Pages">
          {shownPages.map((entry) => (
            <CommandItem key={entry.to} value={`page ${entry.to}`} onSelect={() => onOpen(entry.to)}>
              <entry.icon aria-hidden="true" />
              {entry.label}
            </CommandItem>
          ))}
        </CommandGroup>
      )}
      {shownActions.length > 0 && (
        <CommandGroup heading="Actions">
          {shownActions.map(({ label, to, icon: Icon = Sparkle }) => (
            <CommandItem key={label} value={`action ${label}`} onSelect={() => onOpen(to)}>
              <Icon aria-hidden="true" />
              {label}
            </CommandItem>
          ))}
        </CommandGroup>
      )}
    </>
  );
}

const HELP_RESULTS_MAX = 3;

/** The help sections that match the query best. */
function useHelpResults(query: string) {
  const { data: help } = useQuery({ queryKey: ['help'], queryFn: loadHelp, staleTime: Number.POSITIVE_INFINITY });
  return query === '' || help === undefined ? [] : help.searchHelp(query).slice(0, HELP_RESULTS_MAX);
}

function statusOf({ answer, isSearching }: SearchState): string | undefined {
  if (isSearching) return 'Searching…';
  return answer === undefined ? '' : undefined;
}

/** Describes what the palette can find. Shown while no text is typed. */
const Scope = ({ isAdmin }: { isAdmin: boolean }) => (
  <p className="border-hairline border-t px-4 py-2 text-muted text-sm">
    Search pages, actions, help, data sets, crosswalks, relationships,{isAdmin && ' people,'} and rows by code or label.
  </p>
);

/** The note below the list if the search failed or could not search all rows in time. */
function SearchNote({ search: { answer, isSearching, error, retry } }: { search: SearchState }): ReactNode {
  if (isSearching) return null;
  if (error !== null) {
    return (
      <div role="alert" className="flex items-center gap-3 border-hairline border-t px-4 py-2 text-sm">
        <span className="min-w-0 flex-1">Data sets and codes could not be searched. {messageOf(error)}</span>
        <Button size="sm" onClick={retry}>
          Try Again
        </Button>
      </div>
    );
  }
  if (answer === undefined || answer.complete) return null;
  return (
    <p className="border-hairline border-t px-4 py-2 text-muted text-sm">
      Not all rows could be searched in time. Type more of the code or the label.
    </p>
  );
}
