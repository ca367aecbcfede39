/** The scopes of a key for each collection: read, translate, write. */
import { KEY_SCOPES, type KeyScopeName } from '@rdm/contracts/access/api-key-actor';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { SearchInput } from '../../../components/checklist/index.tsx';
import { EmptyState, ErrorState } from '../../../components/empty-state/index.tsx';
import { Checkbox } from '../../../components/ui/checkbox.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { collectionChoicesQuery } from '../api/api-keys.ts';
import { type ChosenScopes, isIncluded, withScope } from './scopes.ts';

const SCOPE_LABELS: Readonly<Record<KeyScopeName, string>> = { read: 'Read', translate: 'Translate', write: 'Write' };
/** The search field is displayed from this number of collections on. */
const SEARCH_COLLECTIONS_MIN = 8;

export interface ScopeChoicesProps {
  chosen: ChosenScopes;
  onChange: (chosen: ChosenScopes) => void;
  error: string | undefined;
}

export function ScopeChoices({ chosen, onChange, error }: ScopeChoicesProps) {
  const { data: collections, error: failure, refetch } = useQuery(collectionChoicesQuery);
  const [text, setText] = useState('');
  if (failure !== null && collections === undefined)
    return <ErrorState error={failure} onRetry={() => void refetch()} />;
  if (collections === undefined) return <Skeleton className="w-1/2" />;
  if (collections.length === 0)
    return (
      <EmptyState title="No collections yet" description="An API key needs a collection: create a collection first." />
    );
  const searchText = text.trim().toLowerCase();
  const listedCollections = collections.filter(
    ({ id, name }) => chosen.has(id) || name.toLowerCase().includes(searchText),
  );
  return (
    <fieldset className="flex flex-col gap-2" aria-describedby={error === undefined ? undefined : 'scopes-error'}>
      <legend className="mb-1 font-medium text-sm">
        Scopes
        <span aria-hidden="true" className="text-danger-text">
          {' '}
          *
        </span>
      </legend>
      {collections.length >= SEARCH_COLLECTIONS_MIN && (
        <SearchInput label="Search collections" placeholder="Search collections" value={text} onChange={setText} />
      )}
      <div className="max-h-56 overflow-y-auto rounded-md border border-hairline">
        <table className="w-full text-sm">
          <thead className="sticky top-0 z-10 bg-raised text-muted text-xs">
            <tr className="border-hairline border-b">
              <th scope="col" className="px-2 py-1.5 text-left font-medium">
                Collection
              </th>
              {KEY_SCOPES.map((scope) => (
                <th key={scope} scope="col" className="w-16 px-1 py-1.5 text-center font-medium">
                  {SCOPE_LABELS[scope]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-hairline">
            {listedCollections.map(({ id, name }) => (
              <tr key={id}>
                <th scope="row" className="break-words px-2 py-1.5 text-left font-normal">
                  {name}
                </th>
                {KEY_SCOPES.map((scope) => {
                  const scopes = chosen.get(id);
                  const included = isIncluded(scopes, scope);
                  return (
                    <td key={scope} className="px-1 py-1.5">
                      <Checkbox
                        aria-label={`${SCOPE_LABELS[scope]} ${name}`}
                        className="mx-auto"
                        checked={included || scopes?.has(scope) === true}
                        disabled={included}
                        onCheckedChange={(isOn) => onChange(withScope(chosen, id, scope, isOn === true))}
                      />
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
        {listedCollections.length === 0 && (
          <p className="px-2 py-3 text-center text-muted text-sm">No collection matches.</p>
        )}
      </div>
      <p className="text-muted text-xs">
        Translate allows translation requests for the collection’s data sets and nothing else. Write includes read and
        submitting for review. A key can never approve.
      </p>
      {error !== undefined && (
        <p id="scopes-error" role="alert" className="text-danger-text text-xs">
          {error}
        </p>
      )}
    </fieldset>
  );
}
