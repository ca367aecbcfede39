/** The page of the rows of a data set: users search, add, edit and delete rows, and open the history of a row. */

import { hasLevel } from '@rdm/contracts/access/permissions';
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import type { JobView } from '@rdm/contracts/jobs/jobs';
import { keyedBy, type SchemaFieldView } from '@rdm/contracts/reference-types/reference-types';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { parseAsInteger, useQueryState } from 'nuqs';
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router-dom';
import { useFollowedJobs } from '../../../components/bulk-job/index.tsx';
import { DataGrid, useLongList, useStableCallback } from '../../../components/data-grid/index.ts';
import { NotLoaded } from '../../../components/empty-state/not-loaded.tsx';
import { ImportUndoDialog, reportUndo } from '../../../components/import-undo/index.tsx';
import { NamesOf } from '../../../components/people/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { type Undoable, UndoBar } from '../../../components/undo-bar/index.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { OPENED_DATA_SETS_KEY } from '../../../lib/data-sets/index.ts';
import { rememberOpenedDataSet } from '../../../lib/data-sets/recent-data-sets.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { rowsText } from '../../../lib/number-format.ts';
import { type ListParams, type ListState, useListState } from '../../../lib/url-state/list-state.ts';
import { dataSetKey, dataSetQuery, fieldsKey, fieldsQuery } from '../api/data-sets.ts';
import { freezeInstances, instancesKey, instancesQuery } from '../api/instances.ts';
import { DeleteDataSetDialog } from '../components/DeleteDataSetDialog.tsx';
import { ExportItems } from '../components/ExportItems.tsx';
import { Facts } from '../components/Facts.tsx';
import { AddButton, ImportButton, InstancesHeader } from '../components/InstancesHeader.tsx';
import { instanceColumns, instanceFilters, keyFirst } from '../components/instance-columns.tsx';
import { LinkedRowDrawer } from '../components/LinkedRowDrawer.tsx';
import { bulkActions, type Intent, RowIntent, rowActions } from '../components/RowIntent.tsx';
import { useRowDeletion } from '../components/useRowDeletion.tsx';
import { singleRow, useRowRestoring } from '../components/useRowRestoring.tsx';
import { AddRow } from '../sheet/AddRow.tsx';
import { renamesOf, renamesText } from '../sheet/edits/field-renames.ts';
import { ReplaceDialog } from '../sheet/replace/ReplaceDialog.tsx';
import { SheetActions } from '../sheet/SheetActions.tsx';
import { ActiveCell, SheetBar } from '../sheet/SheetBar.tsx';
import type { Step } from '../sheet/undo/history.ts';
import { useSheet } from '../sheet/useSheet.tsx';

const TYPES = ['types'];
const FIELDS = [fieldsKey];

export default function Instances() {
  const id = Number(useParams()['id']);
  const dataSet = useQuery(dataSetQuery(id));
  const fields = useQuery(fieldsQuery(dataSet.data?.typeId));
  const queries = useQueryClient();
  // Rows contain values by field name, so a change of the type reloads both the rows and the fields.
  useLive({
    rooms: TYPES,
    keys: FIELDS,
    onChanges: () => void queries.invalidateQueries({ queryKey: instancesKey(id) }),
  });
  // Unsaved edits are stored by field name. After a rename, the sheet is mounted again and converts the edits.
  const typeId = dataSet.data?.typeId;
  const [displayed, setDisplayed] = useState({ typeId, fields: fields.data });
  // Field ids are unique only within a type, so only fields of the same type are compared.
  const previousFields = displayed.typeId === typeId ? displayed.fields : undefined;
  const renames = previousFields && fields.data && renamesOf(previousFields, fields.data);
  useEffect(() => {
    setDisplayed({ typeId, fields: fields.data });
    if (renames !== undefined) notify.info('The fields were changed', { description: renamesText(renames) });
  }, [typeId, fields.data, renames]);
  const user = useCurrentUser();
  const openedId = dataSet.data?.id;
  useEffect(() => {
    if (openedId !== undefined) rememberOpenedDataSet(user.id, openedId);
  }, [user.id, openedId]);
  // A data set that cannot be read may be deleted: reload the sidebar links, which omit deleted data sets.
  const hasFailed = dataSet.error !== null;
  useEffect(() => {
    if (hasFailed) void queries.invalidateQueries({ queryKey: OPENED_DATA_SETS_KEY });
  }, [hasFailed, queries]);
  const failedQuery = [dataSet, fields].find((query) => query.error !== null && query.data === undefined);
  if (failedQuery !== undefined) {
    return (
      <NotLoaded
        noun="data set"
        error={failedQuery.error}
        onRetry={() => void failedQuery.refetch()}
        list={{ to: '/reference-data', label: 'All data sets' }}
      />
    );
  }
  if (dataSet.data === undefined || fields.data === undefined || renames !== undefined) {
    return (
      <div role="status" aria-label="Loading..." className="flex flex-col gap-4">
        <Skeleton className="h-7 w-64" />
        <Skeleton className="w-96 max-w-full" />
      </div>
    );
  }
  return <RowsWithUrlState key={id} dataSet={dataSet.data} fields={fields.data} />;
}

interface DataSetProps {
  dataSet: DataSetView;
  fields: readonly SchemaFieldView[];
}

/** Reads the list state from the URL. This component re-renders whenever the user scrolls to other rows. */
function RowsWithUrlState({ dataSet, fields }: DataSetProps) {
  const state = useListState(sortedByKey(dataSet));
  const [linkedRowId, setLinkedRowId] = useQueryState('row', parseAsInteger);
  return (
    <Rows dataSet={dataSet} fields={fields} state={state} linkedRowId={linkedRowId} setLinkedRowId={setLinkedRowId} />
  );
}

const rowId = (row: InstanceView) => row.id;
const NO_ROWS: readonly InstanceView[] = [];

interface RowsProps extends DataSetProps {
  state: ListState;
  /** The id of the row whose history the URL opens; null if there is none. */
  linkedRowId: number | null;
  setLinkedRowId: (id: null) => Promise<unknown>;
}

function Rows({ dataSet, fields: typeFields, state, linkedRowId, setLinkedRowId }: RowsProps) {
  const { id, primaryKeyFields } = dataSet;
  const { fields, columns, filters, ordered, names } = useFields(typeFields, primaryKeyFields);
  const navigate = useNavigate();
  const query = useCallback((params: ListParams) => instancesQuery(id, params), [id]);
  const result = useLongList({ state, query });
  const rows = result.data?.items ?? NO_ROWS;
  const live = useLive({ rooms: [`data-set:${id}`], keys: [instancesKey(id), dataSetKey(id)] });
  const [intent, setIntent] = useState<Intent>();
  const [bulkStep, setBulkStep] = useState<Step>();
  const [isReplacing, setIsReplacing] = useState(false);
  const [isDeletingDataSet, setIsDeletingDataSet] = useState(false);
  const importUndo = useImportUndo();
  const [jobUndo, setJobUndo] = useState<Undoable>();
  const restoration = useRowRestoring(id, setJobUndo);

  const exclusiveJobId = dataSet.exclusiveJobId;
  const mayWrite = hasLevel(dataSet.level, 'WRITE');
  const readOnlyReason = whyReadOnly(dataSet);

  const onBulk = (step: Step) => {
    sheet.steps.record(step);
    setBulkStep(step);
  };
  const sheet = useSheet({
    dataSetId: id,
    fields: ordered,
    rows,
    load: result.long.load,
    readOnlyReason,
    onBulk: setBulkStep,
    onOpen: (row) => setIntent({ what: 'history', row }),
  });
  const deletion = useRowDeletion(id, onBulk, (commandId, count) =>
    setJobUndo({ text: `${rowsText(count)} deleted`, undo: () => restoration.restoreDeletedBy(commandId) }),
  );

  const confirmDeletion = useStableCallback(deletion.confirmDeletion);
  const actionsOf = useCallback(
    (row: InstanceView) => rowActions(row, { readOnlyReason, onIntent: setIntent, onDelete: confirmDeletion }),
    [readOnlyReason, confirmDeletion],
  );

  // Memoised, because this component re-renders whenever the user scrolls to other rows.
  const exports = useMemo(() => <ExportItems dataSetId={id} state={state} fields={fields} />, [id, state, fields]);
  const importButton = useMemo(() => mayWrite && <ImportButton dataSetId={id} />, [mayWrite, id]);
  const addButton = useMemo(
    () => mayWrite && <AddButton readOnlyReason={readOnlyReason} onAdd={() => setIntent({ what: 'add' })} />,
    [mayWrite, readOnlyReason],
  );
  const [record, pasteRows] = [useStableCallback(sheet.steps.record), useStableCallback(sheet.pasteRows)];
  const actions = useSheetActions(sheet.steps, mayWrite, readOnlyReason, () => setIsReplacing(true));

  // Filters the list by the key of the linked row, unless the URL already has a filter or a search.
  const showLinkedRow = useStableCallback(({ data }: InstanceView) => {
    if (state.filter !== undefined || state.params.q !== undefined) return;
    const conditions = primaryKeyFields.map((field) => ({ field, operator: 'equals' as const, value: data[field] }));
    state.setFilter({ logic: 'AND', conditions });
  });

  const onEditDataSet = useStableCallback(() => void navigate(`/reference-data/${id}/edit`));
  const onDeleteDataSet = useCallback(() => setIsDeletingDataSet(true), []);

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <InstancesHeader
        dataSet={dataSet}
        importButton={importButton}
        addButton={addButton}
        onUndoImport={readOnlyReason === undefined ? importUndo.choose : undefined}
        onEdit={onEditDataSet}
        onDelete={onDeleteDataSet}
      />
      <Facts dataSet={dataSet} />
      {exclusiveJobId !== null && <ImportNote dataSetId={id} jobId={exclusiveJobId} />}
      <NamesOf ids={rows.map(({ updatedBy }) => updatedBy)}>
        <DataGrid
          label={dataSet.name}
          entity={`data-set:${id}`}
          exports={exports}
          state={state}
          result={result}
          columns={columns}
          rowId={rowId}
          rowActions={actionsOf}
          filterFields={filters}
          live={live}
          flashAs="instance"
          bulkActions={mayWrite ? bulkActions(readOnlyReason, confirmDeletion) : []}
          selectAll={(params) => freezeInstances(id, params)}
          cells={sheet.cells}
          onOpen={(row) => setIntent({ what: 'history', row })}
          actions={actions}
          empty={noRows(mayWrite, importButton, addButton)}
        />
      </NamesOf>
      {mayWrite && <SheetFooter {...{ dataSetId: id, fields, ordered, sheet, readOnlyReason, record, pasteRows }} />}
      {/* Undo is offered only while the bulk step is the last step, because later steps must be undone first. */}
      {bulkStep !== undefined && sheet.steps.history.past.at(-1) === bulkStep && (
        <UndoBar action={{ text: bulkStep.text, undo: sheet.steps.undo }} onClose={() => setBulkStep(undefined)} />
      )}
      {sheet.dialogs}
      {deletion.dialogs}
      {restoration.dialogs}
      {importUndo.parts}
      {jobUndo !== undefined && <UndoBar action={jobUndo} onClose={() => setJobUndo(undefined)} />}
      {isReplacing && (
        <ReplaceDialog
          dataSetId={id}
          fields={ordered}
          params={state.params}
          filter={state.filter}
          save={sheet.save}
          onDone={onBulk}
          onClose={() => setIsReplacing(false)}
        />
      )}

      <RowIntent intent={intent} onIntent={setIntent} dataSetId={id} fields={ordered} readOnlyReason={readOnlyReason} />
      {linkedRowId !== null && intent === undefined && (
        <LinkedRowDrawer
          dataSetId={id}
          linkedRowId={linkedRowId}
          displayedRow={rows.find((row) => row.id === linkedRowId)}
          fields={names}
          readOnlyReason={readOnlyReason}
          onFound={showLinkedRow}
          onRestore={
            mayWrite
              ? (row) => {
                  void setLinkedRowId(null);
                  void restoration.restore(singleRow(row));
                }
              : undefined
          }
          onClose={() => void setLinkedRowId(null)}
        />
      )}
      {isDeletingDataSet && (
        <DeleteDataSetDialog
          dataSet={dataSet}
          onClose={() => setIsDeletingDataSet(false)}
          onDeleted={() => void navigate('/reference-data')}
        />
      )}
    </div>
  );
}

function useFields(typeFields: readonly SchemaFieldView[], primaryKeyFields: readonly string[]) {
  const fields = useMemo(() => keyedBy(typeFields, primaryKeyFields), [typeFields, primaryKeyFields]);
  const columns = useMemo(() => instanceColumns(fields), [fields]);
  const filters = useMemo(() => instanceFilters(fields), [fields]);
  const ordered = useMemo(() => keyFirst(fields), [fields]);
  return { fields, columns, filters, ordered, names: ordered.map(({ name }) => name) };
}

interface SheetFooterProps {
  dataSetId: number;
  fields: readonly SchemaFieldView[];
  /** The fields, key fields first. */
  ordered: readonly SchemaFieldView[];
  sheet: ReturnType<typeof useSheet>;
  readOnlyReason: string | undefined;
  record: (step: Step) => void;
  pasteRows: ReturnType<typeof useSheet>['pasteRows'];
}

/** The input line for a new row, and the state of the edits. */
function SheetFooter({ dataSetId, fields, ordered, sheet, readOnlyReason, record, pasteRows }: SheetFooterProps) {
  const { edits, message, isEditing, cursor, describe } = sheet;
  const [isAdding, setIsAdding] = useState(false);
  return (
    <>
      {readOnlyReason === undefined && (
        <AddRow dataSetId={dataSetId} fields={ordered} onAdded={record} onPaste={pasteRows} onDirty={setIsAdding} />
      )}
      <SheetBar edits={edits} fields={fields} isDirty={isAdding} message={message} isIdle={!isEditing} />
      <ActiveCell cursor={cursor} describe={describe} />
    </>
  );
}

/** Why the rows cannot be changed; undefined if they can. */
function whyReadOnly({ level, exclusiveJobId }: DataSetView): string | undefined {
  if (!hasLevel(level, 'WRITE')) return 'Changing rows needs WRITE on the data set';
  return exclusiveJobId === null ? undefined : 'Rows cannot be changed until the running import has ended';
}

const noRows = (mayWrite: boolean, importButton: ReactNode, addButton: ReactNode) => ({
  title: 'No rows yet',
  description: mayWrite ? 'Import them from a file, or type them in one by one.' : 'No rows were added yet.',
  action: mayWrite && (
    <span className="flex gap-2">
      {importButton}
      {addButton}
    </span>
  ),
});

/** The dialog that undoes a chosen import, and the progress of the undo. */
function useImportUndo() {
  const [job, choose] = useState<JobView>();
  const undoJobs = useFollowedJobs();
  const parts = (
    <>
      {undoJobs.bars}
      {job !== undefined && (
        <ImportUndoDialog
          job={job}
          onClose={() => choose(undefined)}
          onStarted={(jobId) =>
            undoJobs.follow({ job: { jobId }, action: 'Undoing', target: job.description, onEnd: reportUndo })
          }
        />
      )}
    </>
  );
  return { choose, parts };
}

/**
 * The undo, redo and replace buttons. Memoised, because the page re-renders whenever the user scrolls to other rows.
 */
function useSheetActions(
  steps: ReturnType<typeof useSheet>['steps'],
  mayWrite: boolean,
  readOnlyReason: string | undefined,
  replace: () => void,
): ReactNode {
  const { history } = steps;
  const [undo, redo, onReplace] = [
    useStableCallback(steps.undo),
    useStableCallback(steps.redo),
    useStableCallback(replace),
  ];
  return useMemo(
    () =>
      mayWrite && (
        <SheetActions history={history} undo={undo} redo={redo} readOnlyReason={readOnlyReason} onReplace={onReplace} />
      ),
    [mayWrite, history, undo, redo, readOnlyReason, onReplace],
  );
}

function ImportNote({ dataSetId, jobId }: { dataSetId: number; jobId: number }) {
  return (
    <Alert tone="info" className="mb-3" title="An import is running">
      It changes all rows or none, so rows cannot be changed until it has ended.{' '}
      <Link to={`/reference-data/${dataSetId}/import?job=${jobId}`} className="underline">
        Show its progress
      </Link>
    </Alert>
  );
}

/** Sorts by a key of one field, so that the column header shows the order. */
function sortedByKey({ primaryKeyFields: [key, ...others] }: DataSetView): { sort?: string } {
  return key === undefined || others.length > 0 ? {} : { sort: key };
}
