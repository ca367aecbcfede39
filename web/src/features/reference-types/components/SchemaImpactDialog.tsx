/** Shows the impact of a changed schema on existing rows before the schema is saved. */
import type { ChangeSchema } from '@rdm/contracts/reference-types/reference-types';
import type { SchemaIssue, SchemaPreview } from '@rdm/contracts/reference-types/schema-changes';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { Figures } from '../../../components/page/index.tsx';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { LabelledCheckbox } from '../../../components/ui/checkbox.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { formatNumber, rowsText } from '../../../lib/number-format.ts';
import { schemaPreviewQuery } from '../api/types.ts';

export interface SchemaImpactDialogProps {
  type: { id: number; name: string };
  change: ChangeSchema;
  busy: boolean;
  onCancel: () => void;
  onProceed: () => void;
}

export function SchemaImpactDialog({ type, change, busy, onCancel, onProceed }: SchemaImpactDialogProps) {
  const { data, error, isFetching, refetch } = useQuery(schemaPreviewQuery(type.id, change));
  const [acknowledged, setAcknowledged] = useState(false);
  const preview = isFetching ? undefined : data;
  const affectsValues = preview !== undefined && preview.broken + preview.retired > 0;
  const hasProblems = preview !== undefined && preview.problems.length > 0;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onCancel()}
      title="Impact Analysis"
      description={`The effect of this schema on the data sets of “${type.name}”. Nothing is saved yet.`}
      className="md:w-[70%] xl:w-[50%]"
      footer={
        <>
          <Button onClick={onCancel}>Back to the fields</Button>
          <Button
            variant="primary"
            disabled={preview === undefined || hasProblems || busy || (affectsValues && !acknowledged)}
            aria-busy={busy}
            onClick={onProceed}
          >
            {busy ? 'Saving…' : 'Proceed with Edit'}
          </Button>
        </>
      }
    >
      {error !== null && !isFetching && <ErrorState error={error} onRetry={() => void refetch()} />}
      {isFetching && (
        <p role="status" className="py-8 text-center text-muted">
          Loading...
        </p>
      )}
      {preview !== undefined && (
        <div className="flex flex-col gap-4">
          <Problems problems={preview.problems} />
          <Steps steps={preview.steps} />
          {preview.steps.some(({ kind }) => kind === 'renamed') && (
            <p>Import files and programs that call the API must use the new name of a renamed field.</p>
          )}
          <SavedFilters savedFilters={preview.savedFilters} />
          {affectsValues ? (
            <>
              <AffectedDataSets preview={preview} />
              {!hasProblems && (
                <LabelledCheckbox
                  checked={acknowledged}
                  onCheckedChange={(ticked) => setAcknowledged(ticked === true)}
                  label="I understand the impact on the values listed above."
                />
              )}
            </>
          ) : (
            !hasProblems && (
              <p className="flex items-center gap-2">
                <CircleCheck aria-hidden="true" className="size-5 shrink-0 text-accent" />
                No row is changed.
              </p>
            )
          )}
        </div>
      )}
    </Dialog>
  );
}

function Problems({ problems }: Pick<SchemaPreview, 'problems'>) {
  if (problems.length === 0) return null;
  return (
    <Alert tone="error" title="This schema cannot be saved">
      <ul className="flex flex-col gap-1">
        {problems.map(({ field, message, usedBy, hidden }) => (
          <li key={`${field} ${message}`}>
            {message}
            {usedBy.length + hidden > 0 && (
              <>
                {' '}
                Used by{' '}
                {usedBy.map(({ kind, id, name }, index) => (
                  <span key={`${kind}:${id}`}>
                    {index > 0 && ', '}
                    <Link to={`/${kind}s?q=${encodeURIComponent(name)}`} className="underline">
                      {name}
                    </Link>
                  </span>
                ))}
                {hidden > 0 && `${usedBy.length > 0 ? ' and ' : ''}${definitionsText(hidden)} that you cannot read`}.
              </>
            )}
          </li>
        ))}
      </ul>
    </Alert>
  );
}

const definitionsText = (count: number): string =>
  `${formatNumber(count)} ${count === 1 ? 'crosswalk or relationship' : 'crosswalks or relationships'}`;

const STEP_WORDS: Record<SchemaPreview['steps'][number]['kind'], string> = {
  added: 'Added',
  renamed: 'Renamed',
  changed: 'Changed',
  retired: 'Removed',
};

function Steps({ steps }: Pick<SchemaPreview, 'steps'>) {
  if (steps.length === 0) return <p className="text-muted">No field changes.</p>;
  return (
    <section>
      <h3 className="mb-1 font-medium">Fields</h3>
      <ul className="divide-y divide-hairline border-hairline border-y">
        {steps.map(({ kind, field, from, to }) => (
          <li key={`${kind} ${field}`} className="flex flex-wrap justify-between gap-x-4 py-1.5">
            <span className="min-w-0 break-words font-mono">{field}</span>
            <span className="min-w-0 break-words text-muted">
              {STEP_WORDS[kind]}
              {to !== undefined && `: ${from === undefined ? to : `${from} → ${to}`}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function SavedFilters({ savedFilters }: Pick<SchemaPreview, 'savedFilters'>) {
  if (savedFilters.length === 0) return null;
  return (
    <section>
      <h3 className="mb-1 font-medium">Saved filters that name a removed field</h3>
      <ul className="divide-y divide-hairline border-hairline border-y">
        {savedFilters.map(({ id, name, dataSet, fields }) => (
          <li key={id} className="flex flex-wrap justify-between gap-x-4 py-1.5">
            <span className="min-w-0 break-words">
              {name} <span className="text-muted">· {dataSet.name}</span>
            </span>
            <span className="min-w-0 break-words font-mono text-muted">{fields.join(', ')}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function AffectedDataSets({ preview }: { preview: SchemaPreview }) {
  const { datasets, others, broken, retired } = preview;
  const unlistedTexts = [
    others.untouched > 0 && `${formatNumber(others.untouched)} more ${dataSets(others.untouched)} not affected`,
    others.more > 0 && `${formatNumber(others.more)} more ${dataSets(others.more)} affected`,
    others.hidden > 0 &&
      `${formatNumber(others.hidden)} ${dataSets(others.hidden)} that you cannot read (${formatNumber(others.hiddenCells)} affected ${others.hiddenCells === 1 ? 'value' : 'values'})`,
  ].filter((text) => text !== false);
  return (
    <>
      <Figures
        figures={[
          { label: 'Values that would be shown as empty', value: broken },
          { label: 'Values no longer shown', value: retired },
        ]}
      />
      {datasets.map(({ id, name, instanceCount, issues }) => (
        <section key={id} aria-label={name} className="flex flex-col gap-2">
          <h3 className="flex flex-wrap justify-between gap-x-4 font-medium">
            <span className="min-w-0 break-words">{name}</span>
            <span className="font-normal text-muted">{rowsText(instanceCount)}</span>
          </h3>
          {issues.map((issue) => (
            <Issue key={issue.field} issue={issue} />
          ))}
        </section>
      ))}
      {unlistedTexts.length > 0 && <p className="text-muted">{unlistedTexts.join(' · ')}.</p>}
    </>
  );
}

const dataSets = (count: number) => (count === 1 ? 'data set' : 'data sets');

function Issue({ issue: { field, rule, count, examples } }: { issue: SchemaIssue }) {
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-left">
        <caption className="pb-1 text-left">
          <span className="font-mono">{field}</span>: {rowsText(count)}, {rule}
        </caption>
        <thead className="text-muted text-xs">
          <tr className="border-hairline border-y">
            <th scope="col" className="py-1 pr-4 font-normal">
              Row
            </th>
            <th scope="col" className="py-1 font-normal">
              Value
            </th>
          </tr>
        </thead>
        <tbody>
          {examples.map(({ instanceId, key, value }) => (
            <tr key={instanceId} className="border-hairline border-b">
              <th scope="row" className="max-w-48 truncate py-1 pr-4 font-mono font-normal">
                {key}
              </th>
              <td className="max-w-64 truncate py-1 font-mono">{String(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {count > examples.length && (
        <p className="text-muted text-xs">and {formatNumber(count - examples.length)} more</p>
      )}
    </div>
  );
}
