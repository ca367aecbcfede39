/** Columns and filters of the list of API keys. */
import type { ApiKeyView } from '@rdm/contracts/identity/api-keys';
import { API_KEY_FIELDS } from '@rdm/contracts/identity/list-fields';
import { columnsOf, muted } from '../../../components/data-grid/index.ts';
import { filterFields } from '../../../lib/filters/filter-fields.ts';
import { KeyState, stateOf } from './KeyState.tsx';
import { byCollection, scopeText } from './scopes.ts';

const NEVER = muted('Never');

const { custom, name, text, count, time } = columnsOf<ApiKeyView>(API_KEY_FIELDS);

export const COLUMNS = [
  name('name', { minWidth: 150 }),
  custom('state', { header: 'State', cell: (apiKey) => <KeyState apiKey={apiKey} />, value: stateOf, width: 128 }),
  text('prefix', {
    cell: ({ prefix }) => <span className="font-mono text-xs">{prefix}…</span>,
    sortable: false,
    width: 132,
  }),
  custom('scopes', {
    header: 'Scopes',
    cell: ({ scopes }) => <Scopes scopes={scopes} />,
    value: ({ scopes }) => scopeText(scopes),
    minWidth: 220,
    wrap: true,
  }),
  time('expiresAt', { none: NEVER, width: 136 }),
  time('lastUsedAt', { none: NEVER, width: 148 }),
  count('callCount', { width: 84 }),
  text('description', { sortable: false, hidden: true, minWidth: 200, wrap: true }),
  time('createdAt', { hidden: true, width: 148 }),
];

function Scopes({ scopes }: Pick<ApiKeyView, 'scopes'>) {
  return (
    <span title={scopeText(scopes)}>
      {byCollection(scopes).map(({ collectionId, name, scopes: scopeNames }, index) => (
        <span key={collectionId}>
          {index > 0 && ' · '}
          {name} <span className="text-muted">{scopeNames.join(', ')}</span>
        </span>
      ))}
    </span>
  );
}

export const FILTERS = filterFields(API_KEY_FIELDS, [
  'name',
  'description',
  'prefix',
  'collections',
  'isActive',
  'expiresSoon',
  'expiresAt',
  'lastUsedAt',
  'callCount',
  'createdByName',
]);
