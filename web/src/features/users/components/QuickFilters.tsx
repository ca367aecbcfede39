/** The most common filters of administrators, each as a select. */
import { useQuery } from '@tanstack/react-query';
import { Select } from '../../../components/ui/select.tsx';
import { useAuthConfig } from '../../../lib/auth/config.ts';
import type { ListState } from '../../../lib/url-state/list-state.ts';
import { roleChoicesQuery } from '../api/users.ts';
import { chosenState, chosenValue, STATES, type StateName, withState, withValue } from './quick-filters.ts';
import { providerName } from './UserState.tsx';

/** The value of the option "all", which no role, provider or state has. */
const ALL = ' ';

export function QuickFilters({ state }: { state: ListState }) {
  const { data: roles = [] } = useQuery(roleChoicesQuery);
  const { data: config } = useAuthConfig();
  const { filter, setFilter } = state;
  const providers = ['local', ...(config?.providers.map(({ name }) => name) ?? [])];
  const selectedValue = (field: string) => {
    const value = chosenValue(filter, field);
    return typeof value === 'string' ? value : ALL;
  };
  const conditionValue = (value: string) => (value === ALL ? undefined : value);
  return (
    <div className="flex flex-wrap gap-2">
      <Select
        aria-label="Role"
        className="w-36"
        value={selectedValue('roleName')}
        onValueChange={(role) => setFilter(withValue(filter, 'roleName', conditionValue(role)))}
        options={[{ value: ALL, label: 'All roles' }, ...roles.map(({ name }) => ({ value: name, label: name }))]}
      />
      {providers.length > 1 && (
        <Select
          aria-label="Provider"
          className="w-36"
          value={selectedValue('authProvider')}
          onValueChange={(provider) => setFilter(withValue(filter, 'authProvider', conditionValue(provider)))}
          options={[
            { value: ALL, label: 'All providers' },
            ...providers.map((name) => ({ value: name, label: providerName(name) })),
          ]}
        />
      )}
      <Select
        aria-label="State"
        className="w-36"
        value={chosenState(filter) ?? ALL}
        onValueChange={(name) => setFilter(withState(filter, conditionValue(name) as StateName | undefined))}
        options={[
          { value: ALL, label: 'All states' },
          ...Object.entries(STATES).map(([value, { label }]) => ({ value, label })),
        ]}
      />
    </div>
  );
}
