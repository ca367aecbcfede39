/** Shows what depends on a type before the user edits or deletes it (specification §2, impact analysis dialog). */
import type { DependencyAnalysis } from '@rdm/contracts/reference-types/reference-types';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, Lock } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { Figures } from '../../../components/page/index.tsx';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { LabelledCheckbox } from '../../../components/ui/checkbox.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { formatNumber } from '../../../lib/number-format.ts';
import { dependenciesQuery, hasDependants } from '../api/types.ts';

export interface ImpactDialogProps {
  type: { id: number; name: string };
  intent: 'edit' | 'delete';
  onCancel: () => void;
  onProceed: () => void;
}

const SAFE = 'No dependencies found. This reference data type is safe to edit.';

export function ImpactDialog({ type, intent, onCancel, onProceed }: ImpactDialogProps) {
  const { data, error, isFetching, refetch } = useQuery(dependenciesQuery(type.id));
  const [acknowledged, setAcknowledged] = useState(false);
  const analysis = isFetching ? undefined : data;
  const hasDependencies = analysis !== undefined && hasDependants(analysis);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onCancel()}
      title="Impact Analysis"
      description={`What depends on “${type.name}”.`}
      footer={
        <>
          <Button onClick={onCancel}>Cancel</Button>
          <Button
            variant={intent === 'delete' ? 'danger' : 'primary'}
            disabled={analysis === undefined || (hasDependencies && !acknowledged)}
            onClick={onProceed}
          >
            {intent === 'delete' ? 'Proceed with Delete' : 'Proceed with Edit'}
          </Button>
        </>
      }
    >
      {error !== null && !isFetching && <ErrorState error={error} onRetry={() => void refetch()} />}
      {error === null && analysis === undefined && (
        <p role="status" className="py-8 text-center text-muted">
          Loading...
        </p>
      )}
      {analysis !== undefined && !hasDependencies && (
        <p className="flex items-center gap-2 py-4">
          <CircleCheck aria-hidden="true" className="size-5 shrink-0 text-accent" />
          {SAFE}
        </p>
      )}
      {analysis !== undefined && hasDependencies && (
        <div className="flex flex-col gap-4">
          <Dependants analysis={analysis} />
          <LabelledCheckbox
            checked={acknowledged}
            onCheckedChange={(checked) => setAcknowledged(checked === true)}
            label={`I understand that this ${intent} affects everything listed above.`}
          />
        </div>
      )}
    </Dialog>
  );
}

function Dependants({ analysis }: { analysis: DependencyAnalysis }) {
  const { datasets, relationships, crosswalkMappings, primaryKeyFields, totalAffectedInstances } = analysis;
  const hidden = analysis.hidden ?? { datasets: 0, relationships: 0, crosswalkMappings: 0 };
  const locked = primaryKeyFields.filter((field) => field.isReferenced);
  const hiddenCount = hidden.datasets + hidden.relationships + hidden.crosswalkMappings;
  return (
    <>
      <Figures
        figures={[
          { label: 'Datasets', value: datasets.length + hidden.datasets },
          { label: 'Relationships', value: relationships.length + hidden.relationships },
          { label: 'Crosswalks', value: crosswalkMappings.length + hidden.crosswalkMappings },
          { label: 'Data instances', value: totalAffectedInstances },
        ]}
      />
      {locked.length > 0 && (
        <Alert tone="warning" title="Locked primary-key fields">
          <ul>
            {locked.map((field) => (
              <li key={field.name} className="flex items-center gap-1">
                <Lock aria-hidden="true" className="size-3" />
                <span className="font-mono">{field.name}</span> is referenced by relationships or crosswalks
              </li>
            ))}
          </ul>
        </Alert>
      )}
      <List title="Datasets">
        {datasets.map((dataset) => (
          <Item
            key={dataset.id}
            name={dataset.name}
            note={`${dataset.collection ?? 'No collection'} · ${formatNumber(dataset.instanceCount)} ${dataset.instanceCount === 1 ? 'instance' : 'instances'}`}
          />
        ))}
      </List>
      <List title="Relationships">
        {relationships.map((relationship) => (
          <Item
            key={relationship.id}
            name={relationship.name}
            note={`${relationship.source} → ${relationship.target}`}
          />
        ))}
      </List>
      <List title="Crosswalks">
        {crosswalkMappings.map((crosswalk) => (
          <Item
            key={crosswalk.id}
            name={crosswalk.name}
            note={`${crosswalk.source} → ${crosswalk.target} · ${formatNumber(crosswalk.mappingCount)} ${crosswalk.mappingCount === 1 ? 'mapping' : 'mappings'}`}
          />
        ))}
      </List>
      {hiddenCount > 0 && (
        <p className="text-muted">
          {hiddenCount} more {hiddenCount === 1 ? 'item' : 'items'} that you cannot read.
        </p>
      )}
    </>
  );
}

function List({ title, children }: { title: string; children: ReactNode[] }) {
  if (children.length === 0) return null;
  return (
    <section>
      <h3 className="mb-1 font-medium">{title}</h3>
      <ul className="max-h-40 divide-y divide-hairline overflow-y-auto border-hairline border-y">{children}</ul>
    </section>
  );
}

function Item({ name, note }: { name: string; note: string }) {
  return (
    <li className="flex flex-wrap justify-between gap-x-4 py-1.5">
      <span className="min-w-0 break-words">{name}</span>
      <span className="text-muted">{note}</span>
    </li>
  );
}
