/** The page of site paths: each path with its guard, and whether the selected user may open the path. */

import { GUARD_WORDS, type SitePath } from '@rdm/contracts/access/permissions';
import { SITE_PATH_FIELDS } from '@rdm/contracts/admin/list-fields';
import type { Page } from '@rdm/contracts/lists/filter';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { Check, X } from 'lucide-react';
import { useState } from 'react';
import { columnsOf, DataGrid, NONE } from '../../../components/data-grid/index.ts';
import { PageHeader } from '../../../components/page/index.tsx';
import { Combobox } from '../../../components/ui/combobox.tsx';
import { read } from '../../../lib/api/index.ts';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { directoryQuery } from '../../../lib/auth/people.ts';
import { useSearchText } from '../../../lib/debounce/index.ts';
import { filterFields } from '../../../lib/filters/filter-fields.ts';
import { type ListParams, useListState } from '../../../lib/url-state/list-state.ts';

const allowedText = ({ allowed }: SitePath) => (allowed ? 'Yes' : 'No');

const guardWords = ({ guard }: SitePath) => GUARD_WORDS[guard];

const { custom, text, code } = columnsOf<SitePath>(SITE_PATH_FIELDS);

const COLUMNS = [
  code('path', { required: true, minWidth: 180 }),
  custom('allowed', {
    header: 'Can open',
    cell: (each) => (
      <span className={each.allowed ? 'inline-flex items-center gap-1' : 'inline-flex items-center gap-1 text-muted'}>
        {each.allowed ? <Check aria-hidden="true" className="size-4" /> : <X aria-hidden="true" className="size-4" />}
        {allowedText(each)}
      </span>
    ),
    value: allowedText,
    width: 100,
  }),
  text('guard', { cell: guardWords, value: guardWords, minWidth: 150 }),
  text('permission', {
    cell: ({ permission }) => (permission === null ? NONE : <span className="font-mono">{permission}</span>),
    minWidth: 150,
  }),
];

const pathOf = ({ path }: SitePath) => path;

const FILTERS = filterFields(SITE_PATH_FIELDS);

const sitePathsQuery = (userId: number, params: ListParams) =>
  queryOptions({
    queryKey: ['site-paths', userId, params],
    queryFn: () => read<Page<SitePath>>('/api/site-paths', { query: { ...params, userId } }),
    placeholderData: keepPreviousData,
  });

export default function SitePaths() {
  const me = useCurrentUser();
  const [selectedUser, setSelectedUser] = useState({ id: me.id, name: me.displayName ?? me.username });
  const state = useListState({ sort: 'path' });
  const result = useQuery(sitePathsQuery(selectedUser.id, state.params));
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title="Site paths"
        description={`Every page with its guard, and whether ${selectedUser.id === me.id ? 'you' : selectedUser.name} may open it.`}
      />
      <DataGrid
        label="Site paths"
        entity="site-paths"
        state={state}
        result={result}
        columns={COLUMNS}
        rowId={pathOf}
        filterFields={FILTERS}
        actions={me.isAdmin && <UserPicker user={selectedUser} onChoose={setSelectedUser} />}
        empty={{ title: 'No paths to show' }}
      />
    </div>
  );
}

interface UserSelection {
  id: number;
  name: string;
}

/** Lets administrators select the user whose paths are listed. */
function UserPicker({ user, onChoose }: { user: UserSelection; onChoose: (person: UserSelection) => void }) {
  const { search, setSearch, debounced, isAnswered } = useSearchText();
  const directory = useQuery(directoryQuery(debounced));
  const people = directory.data?.users ?? [];
  return (
    <Combobox
      label="User"
      className="w-56"
      value={String(user.id)}
      shown={`As ${user.name}`}
      search={search}
      onSearchChange={setSearch}
      loading={!isAnswered(directory)}
      empty="No matching users."
      options={people.map(({ id, username, displayName }) => ({
        value: String(id),
        label: displayName ?? username,
        detail: displayName === null ? undefined : username,
      }))}
      onValueChange={(value) => {
        const person = people.find(({ id }) => id === Number(value));
        if (person !== undefined) onChoose({ id: person.id, name: person.displayName ?? person.username });
      }}
    />
  );
}
