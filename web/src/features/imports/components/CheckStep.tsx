/**
 * The step that checks the rows. Shows the changes that the import would make, the problems of the file with their
 * fixes, and the button that starts the import.
 */
import type { DraftCheck, DraftOutcome, ImportDraft } from '@rdm/contracts/imports/drafts';
import type { ResolvedDraft } from '@rdm/contracts/imports/resolve-draft';
import type { ImportMode } from '@rdm/contracts/jobs/jobs';
import { WORDS } from '@rdm/contracts/refusal';
import { LoaderCircle, Upload } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { cn } from '../../../components/ui/cn.ts';
import { Field, Input } from '../../../components/ui/input.tsx';
import { Progress } from '../../../components/ui/progress.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { Switch } from '../../../components/ui/switch.tsx';
import { Tabs } from '../../../components/ui/tabs.tsx';
import { formatNumber, rowsText } from '../../../lib/number-format.ts';
import { isChecking } from '../api/drafts.ts';
import { Problems } from './Problems.tsx';
import { StepFrame } from './StepFrame.tsx';
import type { ChangeOfDraft } from './use-draft.ts';

export interface CheckStepProps {
  draft: ImportDraft;
  resolved: ResolvedDraft;
  /** The name of the data set that gets the rows. */
  targetName: string;
  change: ChangeOfDraft;
  isStarting: boolean;
  problem: string | undefined;
  onCheck: () => void;
  onBack: () => void;
  onStart: (description: string) => void;
}

const MODES: readonly { value: ImportMode; label: string }[] = [
  { value: 'upsert', label: 'Add new rows, change existing ones' },
  { value: 'insert', label: 'Only add new rows' },
  { value: 'update', label: 'Only change existing rows' },
  { value: 'replace', label: 'Replace all rows' },
];

/** The label of the button: “Import 292 rows, skip 8”. */
function startLabel({ counts }: DraftCheck): string {
  const importedCount = (counts.new ?? 0) + (counts.changed ?? 0) + (counts.unchanged ?? 0);
  const skippedCount = (counts.invalid ?? 0) + (counts.skipped ?? 0);
  const removedCount = counts.removed ?? 0;
  const parts = [
    skippedCount > 0 && `skip ${formatNumber(skippedCount)}`,
    removedCount > 0 && `remove ${formatNumber(removedCount)}`,
  ];
  return [`Import ${rowsText(importedCount)}`, ...parts.filter((part) => part !== false)].join(', ');
}

export function CheckStep(props: CheckStepProps) {
  const { draft, resolved, targetName, change, isStarting, problem, onCheck, onBack, onStart } = props;
  const [enteredDescription, setEnteredDescription] = useState<string>();
  const [isSubmitted, setSubmitted] = useState(false);
  const description = enteredDescription ?? resolved.description;
  const check = draft.check?.revision === draft.revision || isChecking(draft) ? draft.check : null;
  // While the rows are checked again, the results of the last check stay visible.
  const [lastChecked, setLastChecked] = useState<ImportDraft>();
  const checkedDraft = check?.status === 'DONE' ? draft : lastChecked;
  useEffect(() => {
    if (check?.status === 'DONE') setLastChecked(draft);
  }, [check]);
  const isDone = check?.status === 'DONE';
  const invalidCount = check?.counts.invalid ?? 0;
  const isBlocked = resolved.allOrNothing && invalidCount > 0;
  const hasNothingToImport =
    isDone && (check.counts.new ?? 0) + (check.counts.changed ?? 0) + (check.counts.unchanged ?? 0) === 0;

  const importButton = useRef<HTMLButtonElement>(null);

  function start() {
    setSubmitted(true);
    if (description.trim() !== '') onStart(description.trim());
  }

  return (
    <StepFrame
      title="What will be imported?"
      description={`${draft.fileName} into ${targetName}. Nothing is written before you start the import.`}
      onBack={onBack}
      next={
        <Button
          ref={importButton}
          variant="primary"
          disabled={!isDone || isStarting || isBlocked || hasNothingToImport}
          aria-busy={isStarting}
          onClick={start}
        >
          <Upload />
          {isStarting ? 'Starting…' : isDone ? startLabel(check) : 'Import'}
        </Button>
      }
    >
      {problem !== undefined && (
        <Alert tone="error" title="The import was not started">
          {problem}
        </Alert>
      )}
      {check?.status === 'FAILED' && (
        <Alert tone="error" title="The rows could not be checked">
          <p>{check.reason}</p>
          <Button className="mt-2" onClick={onCheck}>
            Check again
          </Button>
        </Alert>
      )}
      {(check === null || isChecking(draft)) && <CheckProgress check={check} />}
      {checkedDraft?.check && check?.status !== 'FAILED' && (
        <div aria-busy={!isDone} className={cn('flex flex-col gap-4', !isDone && 'opacity-60')}>
          <Problems
            draft={draft}
            checked={checkedDraft}
            resolved={resolved}
            change={change}
            onFixed={() => importButton.current?.focus()}
          />
          <Outcomes check={checkedDraft.check} />
          {(checkedDraft.check.counts.removed ?? 0) + (checkedDraft.check.counts.kept ?? 0) > 0 && (
            <Alert tone="warning">
              The file lacks{' '}
              {rowsText((checkedDraft.check.counts.removed ?? 0) + (checkedDraft.check.counts.kept ?? 0))} of the data
              set: {formatNumber(checkedDraft.check.counts.removed ?? 0)} will be removed, and{' '}
              {formatNumber(checkedDraft.check.counts.kept ?? 0)} stay because mappings or relationship values use them.
            </Alert>
          )}
          {checkedDraft.check.cleared > 0 && (
            <Alert tone="warning">
              Empty cells of the file clear {formatNumber(checkedDraft.check.cleared)}{' '}
              {checkedDraft.check.cleared === 1 ? 'value' : 'values'} of existing rows. Ignore a column to keep its
              values.
            </Alert>
          )}
        </div>
      )}
      <div className="flex flex-wrap items-end gap-x-4 gap-y-3">
        {resolved.target.kind === 'dataSet' && (
          <Field label="Mode" className="w-72 max-w-full">
            {(control) => (
              <Select
                {...control}
                value={resolved.mode}
                onValueChange={(mode) => void change({ mode })}
                options={MODES}
              />
            )}
          </Field>
        )}
        <Field
          label="Job description"
          required
          error={isSubmitted && description.trim() === '' ? WORDS.jobDescriptionRequired : undefined}
          className="min-w-0 flex-1 basis-72"
        >
          {(control) => (
            <Input
              {...control}
              maxLength={1_000}
              value={description}
              onChange={(event) => setEnteredDescription(event.target.value)}
              onBlur={() => enteredDescription !== undefined && void change({ description: enteredDescription })}
            />
          )}
        </Field>
        <div className="flex h-8 items-center">
          <Switch
            label="All or nothing"
            checked={resolved.allOrNothing}
            onCheckedChange={(allOrNothing) => void change({ allOrNothing })}
          />
        </div>
      </div>
      {isBlocked && (
        <Alert tone="warning">
          All or nothing: fix or skip {rowsText(invalidCount)} with problems first, or switch this option off to import
          only the valid rows.
        </Alert>
      )}
    </StepFrame>
  );
}

function CheckProgress({ check }: { check: DraftCheck | null }) {
  const percent =
    check === null || check.total === 0 ? 0 : Math.min(99, Math.floor((100 * check.processed) / check.total));
  return (
    <div role="status" className="flex flex-col gap-2">
      <p className="flex items-center gap-2">
        <LoaderCircle aria-hidden="true" className="size-4 animate-spin text-accent" />
        Checking the rows…
      </p>
      <Progress value={percent} label="Progress of the check" />
    </div>
  );
}

const OUTCOME_LABELS: Record<DraftOutcome, string> = {
  new: 'New',
  changed: 'Changed',
  unchanged: 'Unchanged',
  invalid: 'With problems',
  skipped: 'Skipped',
  removed: 'Removed',
  kept: 'Kept, in use',
};

/** The number of rows by outcome, as tabs that show the first rows. */
function Outcomes({ check }: { check: DraftCheck }) {
  const outcomes = (Object.keys(OUTCOME_LABELS) as DraftOutcome[]).filter((name) => (check.counts[name] ?? 0) > 0);
  const [openedOutcome, setOpenedOutcome] = useState<DraftOutcome>();
  const outcome = openedOutcome !== undefined && outcomes.includes(openedOutcome) ? openedOutcome : outcomes[0];
  if (outcome === undefined) return <Alert tone="warning">The file has no rows.</Alert>;
  const rows = check.rows[outcome] ?? [];
  return (
    <Tabs
      label="Rows by outcome"
      value={outcome}
      onValueChange={setOpenedOutcome}
      tabs={outcomes.map((value) => ({
        value,
        label: OUTCOME_LABELS[value],
        count: formatNumber(check.counts[value] ?? 0),
      }))}
    >
      <section
        aria-label={`Rows: ${OUTCOME_LABELS[outcome]}`}
        className="max-h-[max(18rem,calc(100vh/var(--zoom)-33rem))] overflow-auto rounded-md border border-hairline"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: users must be able to scroll the table by keyboard
        tabIndex={0}
      >
        <table className="min-w-full border-separate border-spacing-0 text-sm">
          <thead className="sticky top-0">
            <tr>
              {['', ...check.fields].map((name) => (
                <th
                  key={name}
                  scope="col"
                  className="max-w-64 truncate border-hairline border-b bg-canvas px-2 py-1 text-left font-medium text-xs"
                >
                  {name === '' ? <span className="sr-only">Place in the file</span> : name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ record, place, after, before }) => (
              <tr key={record} className="last:*:border-b-0">
                <th
                  scope="row"
                  className="whitespace-nowrap border-hairline border-b px-2 py-1 text-left font-normal text-muted text-xs"
                >
                  {place}
                </th>
                {check.fields.map((name, index) => (
                  <td key={name} className="max-w-64 truncate border-hairline border-b px-2 py-1">
                    <Cell after={after[index] ?? ''} before={before?.[index]} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {(check.counts[outcome] ?? 0) > rows.length && (
        <p className="mt-1 text-muted text-xs">The first {formatNumber(rows.length)} rows are shown.</p>
      )}
    </Tabs>
  );
}

function Cell({ after, before }: { after: string; before: string | undefined }) {
  if (before === undefined || before === after) return after;
  return (
    <>
      <del className="text-muted">{before === '' ? 'empty' : before}</del>
      {' → '}
      <ins className="font-medium no-underline">{after === '' ? 'empty' : after}</ins>
    </>
  );
}
