/** The filterable fields of a list, with their default or configured settings. */

import type { FilterConfigurationView } from '@rdm/contracts/filters/filter-configurations';
import type { FilterField } from '@rdm/contracts/lists/filter';
import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { Pencil, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { OPERATOR_WORDS } from '../../../components/filter-builder/operators.ts';
import { notify } from '../../../components/toast/index.ts';
import { Badge } from '../../../components/ui/badge.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { reloadFilterConfigurations } from '../../../lib/filters/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { deleteConfiguration } from '../api/filter-testing.ts';
import { ConfigurationDialog } from './ConfigurationDialog.tsx';
import type { ConfigurableField } from './configurable-field.ts';

export interface ConfigurationsProps {
  entity: string;
  /** The fields that the filter builder offers: all except those that a configuration disables. */
  fields: readonly FilterField[];
  configurations: UseQueryResult<FilterConfigurationView[]>;
  onChanged: () => void;
}

export function Configurations({ entity, fields, configurations, onChanged }: ConfigurationsProps) {
  const queries = useQueryClient();
  const [editing, setEditing] = useState<ConfigurableField>();
  const reload = async () => {
    await reloadFilterConfigurations(queries);
    onChanged();
  };

  async function reset(configuration: FilterConfigurationView) {
    try {
      await deleteConfiguration(configuration);
      notify.success('Configuration removed', { description: configuration.fieldName });
    } catch (error) {
      notify.error(messageOf(error), { title: 'The configuration was not removed' });
    }
    await reload();
  }

  return (
    <section aria-label="Filter configurations">
      <h2 className="font-semibold text-lg">Filter configurations</h2>
      <p className="mb-2 max-w-prose text-muted">
        A field without a configuration can be filtered with every operator of its type. The list’s page offers only the
        filters that are listed here, and the server rejects all other filters.
      </p>
      {configurations.error !== null ? (
        <ErrorState error={configurations.error} onRetry={() => void configurations.refetch()} />
      ) : configurations.data === undefined ? (
        <Skeleton className="h-40" />
      ) : (
        <ul className="divide-y divide-hairline rounded-md border border-hairline bg-surface">
          {fieldsOf(fields, configurations.data).map(({ field, configuration }) => (
            <li key={field.name} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5">
              <div className="min-w-40 flex-1 basis-40">
                <span className="break-words font-medium">{field.label}</span>
                {field.label !== field.name && (
                  <span className="ml-2 break-all font-mono text-muted text-xs">{field.name}</span>
                )}
              </div>
              <Badge tone="outline">{field.dataType}</Badge>
              <p className="min-w-48 flex-[2] basis-48 break-words text-muted text-sm">
                {configurationText(configuration)}
              </p>
              <div className="flex gap-1">
                <Button
                  variant="ghost"
                  size="icon-sm"
                  aria-label={`Configure ${field.name}`}
                  title="Configure"
                  onClick={() => setEditing({ field, configuration })}
                >
                  <Pencil />
                </Button>
                <Button
                  variant="ghost"
                  size="icon-sm"
                  aria-label={`Remove the configuration of ${field.name}`}
                  title="Remove the configuration"
                  disabled={configuration === undefined}
                  onClick={() => configuration !== undefined && void reset(configuration)}
                >
                  <RotateCcw />
                </Button>
              </div>
            </li>
          ))}
        </ul>
      )}
      {editing !== undefined && (
        <ConfigurationDialog entity={entity} {...editing} onSaved={reload} onClose={() => setEditing(undefined)} />
      )}
    </section>
  );
}

/** All fields of the list, including those that its configurations disable. */
export function fieldsOf(
  fields: readonly FilterField[],
  configurations: readonly FilterConfigurationView[],
): ConfigurableField[] {
  const activeFields = fields.map(({ operators: _, ...field }) => ({
    field,
    configuration: configurations.find(({ fieldName }) => fieldName === field.name),
  }));
  const disabledFields = configurations
    .filter(({ fieldName }) => !fields.some(({ name }) => name === fieldName))
    .map((configuration) => {
      const { fieldName: name, displayName, dataType } = configuration;
      return { field: { name, label: displayName === '' ? name : displayName, dataType }, configuration };
    });
  return [...activeFields, ...disabledFields];
}

function configurationText(configuration: FilterConfigurationView | undefined): string {
  if (configuration === undefined) return 'Every operator';
  if (!configuration.isActive) return 'Filter switched off';
  return configuration.allowedOperators.map((operator) => OPERATOR_WORDS[operator]).join(', ');
}
