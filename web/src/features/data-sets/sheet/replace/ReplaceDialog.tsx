/**
 * Finds and replaces text in the rows that match the search and the filter. Previews the changes before they are
 * written.
 */
import { INSTANCES_PER_COMMAND } from '@rdm/contracts/constants';
import type { FilterGroup } from '@rdm/contracts/lists/filter';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { valueText } from '../../../../components/diff/index.tsx';
import { Alert } from '../../../../components/ui/alert.tsx';
import { Button } from '../../../../components/ui/button.tsx';
import { Checkbox } from '../../../../components/ui/checkbox.tsx';
import { Dialog } from '../../../../components/ui/dialog.tsx';
import { Field, Input } from '../../../../components/ui/input.tsx';
import { Select } from '../../../../components/ui/select.tsx';
import { messageOf } from '../../../../lib/messages/index.ts';
import { formatNumber, rowsText } from '../../../../lib/number-format.ts';
import type { ListParams } from '../../../../lib/url-state/list-state.ts';
import { findInstances, reloadInstances } from '../../api/instances.ts';
import type { CellField } from '../../components/cells.ts';
import { chunksOf, type RowToWrite } from '../row-writes.ts';
import { cellsText, type Step } from '../undo/history.ts';
import { RowWritesResult, useRowWrites } from '../useRowWrites.tsx';
import { replaceableFields, replacedRow, type Search, searchFilter } from './replacement.ts';

const FORM_ID = 'replace';
const ALL_FIELDS = '*';
const SHOWN_ROWS = 50;
const SHOWN_PROBLEMS = 5;

interface MatchingRows {
  search: Search;
  rows: RowToWrite[];
  problems: { key: string; field: string; reason: string }[];
  /** Whether more rows would change than one replacement can change. */
  hasMore: boolean;
}

export interface ReplaceDialogProps {
  dataSetId: number;
  fields: readonly CellField[];
  params: ListParams;
  filter: FilterGroup | undefined;
  /** Saves pending edits before the search, so that the search includes them. */
  save: () => Promise<void>;
  onDone: (step: Step) => void;
  onClose: () => void;
}

const cellCount = (rows: readonly RowToWrite[]) => rows.reduce((sum, { data }) => sum + Object.keys(data).length, 0);

export function ReplaceDialog({ dataSetId, fields, params, filter, save, onDone, onClose }: ReplaceDialogProps) {
  const queries = useQueryClient();
  const [search, setSearch] = useState<Search>({
    find: '',
    replace: '',
    field: undefined,
    matchCase: false,
    wholeCell: false,
  });
  const [matches, setMatches] = useState<MatchingRows>();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const writing = useRowWrites(dataSetId, (step) => {
    onDone({ ...step, text: `Text replaced in ${rowsText(step.cells.length)}` });
    void reloadInstances(queries, dataSetId);
  });
  const candidates = replaceableFields(fields, { field: undefined });
  const isFiltered = params.q !== undefined || params.filter !== undefined;

  function change(changes: Partial<Search>) {
    setSearch({ ...search, ...changes });
    setMatches(undefined);
  }

  async function find(event: FormEvent) {
    event.preventDefault();
    if (search.find === '') return setProblem('Enter the text to find');
    setProblem(undefined);
    setBusy(true);
    try {
      await save();
      setMatches(await findAll(dataSetId, fields, search, params, filter));
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy(false);
    }
  }

  if (writing.state !== undefined)
    return <RowWritesResult doing="Replacing…" done="Replaced" writing={writing} onClose={onClose} />;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Find and replace"
      description={`In ${isFiltered ? 'the rows that match the search and filter' : 'all rows'}. Keys do not change.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={FORM_ID} disabled={busy} aria-busy={busy}>
            Find
          </Button>
          <Button
            variant="primary"
            disabled={matches === undefined || matches.rows.length === 0}
            onClick={() => matches !== undefined && void writing.start(chunksOf(matches.rows), matches.rows.length)}
          >
            {matches === undefined || matches.rows.length === 0
              ? 'Replace'
              : `Replace in ${rowsText(matches.rows.length)}`}
          </Button>
        </>
      }
    >
      <form id={FORM_ID} noValidate className="flex flex-col gap-4" onSubmit={(event) => void find(event)}>
        {problem !== undefined && <Alert tone="error">{problem}</Alert>}
        <Field label="Find">
          {(control) => (
            <Input
              {...control}
              autoComplete="off"
              value={search.find}
              onChange={({ target }) => change({ find: target.value })}
            />
          )}
        </Field>
        <Field label="Replace with" hint="Leave it empty to remove the matches.">
          {(control) => (
            <Input
              {...control}
              autoComplete="off"
              value={search.replace}
              onChange={({ target }) => change({ replace: target.value })}
            />
          )}
        </Field>
        <Field label="In">
          {(control) => (
            <Select
              {...control}
              value={search.field ?? ALL_FIELDS}
              onValueChange={(chosen) => change({ field: chosen === ALL_FIELDS ? undefined : chosen })}
              options={[
                { value: ALL_FIELDS, label: 'All fields' },
                ...candidates.map(({ name }) => ({ value: name, label: name })),
              ]}
            />
          )}
        </Field>
        <div className="flex flex-wrap gap-4 text-sm">
          <Toggle label="Match case" checked={search.matchCase} onChange={(matchCase) => change({ matchCase })} />
          <Toggle label="Match whole cell" checked={search.wholeCell} onChange={(wholeCell) => change({ wholeCell })} />
        </div>
      </form>
      {matches !== undefined && <MatchingRowList matches={matches} />}
    </Dialog>
  );
}

function Toggle({ label, checked, onChange }: { label: string; checked: boolean; onChange: (on: boolean) => void }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is a button inside the label
    <label className="flex items-center gap-2">
      <Checkbox checked={checked} onCheckedChange={(on) => onChange(on === true)} />
      {label}
    </label>
  );
}

function MatchingRowList({ matches: { rows, problems, hasMore } }: { matches: MatchingRows }) {
  return (
    <div className="mt-4 flex flex-col gap-3 text-sm">
      <p role="status">
        {rows.length === 0
          ? 'Nothing would change.'
          : `${cellsText(cellCount(rows))} in ${rowsText(rows.length)} would change.`}
      </p>
      {hasMore && (
        <Alert tone="warning">
          One replacement changes at most {formatNumber(INSTANCES_PER_COMMAND)} rows. Repeat it to change more rows.
        </Alert>
      )}
      {problems.length > 0 && (
        <Alert
          tone="warning"
          title={`Not changed: ${cellsText(problems.length)}, because the result would have the wrong data type`}
        >
          {problems.slice(0, SHOWN_PROBLEMS).map(({ key, field, reason }) => (
            <span key={`${key} ${field}`} className="block">
              {key} · {field}: {reason}
            </span>
          ))}
          {problems.length > SHOWN_PROBLEMS && `and ${formatNumber(problems.length - SHOWN_PROBLEMS)} more`}
        </Alert>
      )}
      <ul className="divide-y divide-hairline border-hairline border-y">
        {rows.slice(0, SHOWN_ROWS).map(({ id, key, data, before }) => (
          <li key={id} className="py-1.5">
            <span className="font-mono">{key}</span>
            {Object.entries(data).map(([field, value]) => (
              <span key={field} className="block break-words font-mono text-xs">
                <span className="font-sans text-muted">{field}: </span>
                <del className="text-danger-text no-underline">− {valueText(before[field])}</del>{' '}
                <ins className="text-added no-underline">+ {valueText(value)}</ins>
              </span>
            ))}
          </li>
        ))}
      </ul>
      {rows.length > SHOWN_ROWS && <p className="text-muted text-xs">and {rowsText(rows.length - SHOWN_ROWS)} more</p>}
    </div>
  );
}

/**
 * Reads the rows that can contain the text, page by page. Returns the changes of at most `INSTANCES_PER_COMMAND` rows.
 */
async function findAll(
  dataSetId: number,
  fields: readonly CellField[],
  search: Search,
  { q }: ListParams,
  filter: FilterGroup | undefined,
): Promise<MatchingRows> {
  const matches: MatchingRows = { search, rows: [], problems: [], hasMore: false };
  const serverFilter = JSON.stringify(searchFilter(fields, search, filter));
  for (let page = 1; ; page++) {
    const { items, pageSize } = await findInstances(dataSetId, { filter: serverFilter, q, page });
    for (const { id, revision, key, data: cells } of items) {
      const replacement = replacedRow(fields, cells, search);
      if (replacement === undefined) continue;
      const { data, before, problems } = replacement;
      for (const [field, reason] of Object.entries(problems)) matches.problems.push({ key, field, reason });
      if (Object.keys(data).length === 0) continue;
      if (matches.rows.length === INSTANCES_PER_COMMAND) return { ...matches, hasMore: true };
      matches.rows.push({ id, revision, key, data, before });
    }
    if (items.length < pageSize) return matches;
  }
}
