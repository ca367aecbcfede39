/** Columns and filters of the list of API keys. */
import type { ApiKeyView } from '@rdm/contracts/identity/api-keys';
import type { FilterField } from '@rdm/contracts/lists/filter';
import type { GridColumn } from '../../../components/data-grid/index.ts';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { formatNumber } from '../../../lib/number-format.ts';
import { KeyState, stateOf } from './KeyState.tsx';
import { byCollection, scopeText } from './scopes.ts';

const Never = () => <span className="text-muted">Never</span>;

export const COLUMNS: readonly GridColumn<ApiKeyView>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
    value: ({ name }) => name,
    sortable: true,
    required: true,
    minWidth: 150,
  },
  {
    id: 'state',
    header: 'State',
    cell: (apiKey) => <KeyState apiKey={apiKey} />,
    value: stateOf,
    width: 128,
  },
  {
    id: 'prefix',
    header: 'Key',
    cell: ({ prefix }) => <span className="font-mono text-xs">{prefix}…</span>,
    value: ({ prefix }) => prefix,
    width: 132,
  },
  {
    id: 'scopes',
    header: 'Scopes',
    cell: ({ scopes }) => <Scopes scopes={scopes} />,
    value: ({ scopes }) => scopeText(scopes),
    minWidth: 220,
    wrap: true,
  },
  {
    id: 'expiresAt',
    header: 'Expires',
    cell: ({ expiresAt }) => (expiresAt === null ? <Never /> : <RelativeTime at={expiresAt} />),
    value: ({ expiresAt }) => expiresAt,
    sortable: true,
    width: 136,
  },
  {
    id: 'lastUsedAt',
    header: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? <Never /> : <RelativeTime at={lastUsedAt} />),
    value: ({ lastUsedAt }) => lastUsedAt,
    sortable: true,
    width: 148,
  },
  {
    id: 'callCount',
    header: 'Calls',
    cell: ({ callCount }) => formatNumber(callCount),
    value: ({ callCount }) => callCount,
    sortable: true,
    numeric: true,
    width: 84,
  },
  {
    id: 'description',
    header: 'Description',
    cell: ({ description }) => description,
    value: ({ description }) => description,
    hidden: true,
    minWidth: 200,
    wrap: true,
  },
  {
    id: 'createdAt',
    header: 'Created',
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    value: ({ createdAt }) => createdAt,
    sortable: true,
    hidden: true,
    width: 148,
  },
];

function Scopes({ scopes }: Pick<ApiKeyView, 'scopes'>) {
  return (
    <span title={scopeText(scopes)}>
      {byCollection(scopes).map(({ collectionId, name, scopes: named }, index) => (
        <span key={collectionId}>
          {index > 0 && ' · '}
          {name} <span className="text-muted">{named.join(', ')}</span>
        </span>
      ))}
    </span>
  );
}

export const FILTERS: readonly FilterField[] = [
  { name: 'name', label: 'Name', dataType: 'string' },
  { name: 'description', label: 'Description', dataType: 'string' },
  { name: 'prefix', label: 'Key', dataType: 'string' },
  { name: 'collections', label: 'Collections', dataType: 'string' },
  { name: 'isActive', label: 'Active', dataType: 'boolean' },
  { name: 'expiresSoon', label: 'Expires soon', dataType: 'boolean' },
  { name: 'expiresAt', label: 'Expires', dataType: 'datetime' },
  { name: 'lastUsedAt', label: 'Last used', dataType: 'datetime' },
  { name: 'callCount', label: 'Calls', dataType: 'number' },
  { name: 'createdByName', label: 'Created by', dataType: 'string' },
  { name: 'createdBy', label: 'Creator id', dataType: 'number' },
  { name: 'createdAt', label: 'Created', dataType: 'datetime' },
];
