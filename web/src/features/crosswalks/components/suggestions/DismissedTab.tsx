/**
 * The tab of dismissed pairs, with the user who dismissed each pair. A pair whose dismissal is undone can be suggested
 * again.
 */

import { hasLevel } from '@rdm/contracts/access/permissions';
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import { DISMISSED_SUGGESTION_FIELDS } from '@rdm/contracts/crosswalks/list-fields';
import type { MappingView } from '@rdm/contracts/crosswalks/mappings';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { DataGrid, type GridColumn } from '../../../../components/data-grid/index.ts';
import { NamesOf, Person } from '../../../../components/people/index.tsx';
import { RelativeTime } from '../../../../components/timeline/index.tsx';
import { notify } from '../../../../components/toast/index.ts';
import type { Undoable } from '../../../../components/undo-bar/index.tsx';
import { filterFields } from '../../../../lib/filters/filter-fields.ts';
import type { LiveUpdates } from '../../../../lib/live/index.tsx';
import { messageOf } from '../../../../lib/messages/index.ts';
import { useRowKeys } from '../../../../lib/shortcuts/row-keys.ts';
import { useListState } from '../../../../lib/url-state/list-state.ts';
import { reloadCrosswalk } from '../../api/crosswalks.ts';
import { dismissSuggestions, mappingsQuery, restoreSuggestions } from '../../api/mappings.ts';
import { ExportItems } from '../exchange/ExportItems.tsx';
import { Value } from '../mappings/mapping-columns.tsx';
import { suggestionsText } from './useDismissal.tsx';

const COLUMNS: readonly GridColumn<MappingView>[] = [
  {
    id: 'sourceValue',
    header: 'Source',
    cell: (row) => (
      <span data-row-key={row.id}>
        <Value value={row.sourceValue} label={row.sourceLabel} missing={row.sourceMissing} />
      </span>
    ),
    value: (row) => row.sourceValue,
    sortable: true,
    required: true,
    minWidth: 150,
    wrap: true,
  },
  {
    id: 'targetValue',
    header: 'Dismissed target',
    cell: (row) => <Value value={row.targetValue} label={row.targetLabel} missing={row.targetMissing} />,
    value: (row) => row.targetValue,
    sortable: true,
    required: true,
    minWidth: 190,
    wrap: true,
  },
  { id: 'updatedBy', header: 'Dismissed by', cell: (row) => <Person id={row.updatedBy} />, width: 140 },
  {
    id: 'updatedAt',
    header: 'Dismissed',
    cell: (row) => <RelativeTime at={row.updatedAt} />,
    value: (row) => row.updatedAt,
    sortable: true,
    width: 140,
  },
];

const FILTERS = filterFields(DISMISSED_SUGGESTION_FIELDS);

const SORT = { sort: 'updatedAt', order: 'DESC' } as const;
const rowId = (row: MappingView) => row.id;

export interface DismissedTabProps {
  crosswalk: CrosswalkView;
  live: LiveUpdates;
  onUndoable: (action: Undoable) => void;
  emptyAction: ReactNode;
}

export function DismissedTab({ crosswalk, live, onUndoable, emptyAction }: DismissedTabProps) {
  const queries = useQueryClient();
  const mayWrite = hasLevel(crosswalk.level, 'WRITE');
  const area = useRef<HTMLDivElement>(null);
  const state = useListState(SORT);
  const result = useQuery({
    ...mappingsQuery(crosswalk.id, 'dismissed', state.params),
    placeholderData: keepPreviousData,
  });
  const rows = result.data?.items ?? [];

  async function restore(selectedRows: readonly MappingView[]) {
    const reload = () => reloadCrosswalk(queries, crosswalk.id);
    try {
      const { results } = await restoreSuggestions(crosswalk.id, selectedRows.map(rowId));
      const restoredIds = new Set(results.flatMap(({ id, outcome }) => (outcome === 'done' ? [id] : [])));
      const restoredRows = selectedRows.filter(({ id }) => restoredIds.has(id));
      if (restoredRows.length > 0) {
        onUndoable({
          text: `${suggestionsText(restoredRows.length)} can appear again.`,
          undo: () => dismissSuggestions(crosswalk.id, restoredRows).finally(reload),
        });
      }
      const refused = results.find(({ outcome }) => outcome === 'refused');
      if (refused)
        notify.error(refused.message ?? 'Refused', {
          title: `Dismissal not undone: ${suggestionsText(results.length - restoredRows.length)}`,
        });
    } catch (error) {
      notify.error(messageOf(error), { title: 'The dismissal was not undone' });
    } finally {
      await reload();
    }
  }

  useRowKeys(area, (letter, rowKey) => {
    const row = rows.find(({ id }) => String(id) === rowKey);
    if (row === undefined || !mayWrite || letter !== 'u') return false;
    void restore([row]);
    return true;
  });

  return (
    <div ref={area} className="flex min-h-0 flex-1 flex-col">
      <NamesOf ids={rows.map(({ updatedBy }) => updatedBy)}>
        <DataGrid
          label="dismissed suggestions"
          exports={<ExportItems crosswalkId={crosswalk.id} tab="dismissed" params={state.params} />}
          state={state}
          result={result}
          columns={COLUMNS}
          rowId={rowId}
          rowActions={(row) =>
            mayWrite ? [{ label: 'Suggest again', icon: RotateCcw, onSelect: () => void restore([row]) }] : []
          }
          inlineActions={mayWrite ? 1 : 0}
          bulkActions={
            mayWrite
              ? [
                  {
                    label: 'Suggest again',
                    icon: RotateCcw,
                    onSelect: ({ rows: selectedRows, clear }) => {
                      clear();
                      void restore(selectedRows);
                    },
                  },
                ]
              : []
          }
          filterFields={FILTERS}
          hint={mayWrite ? 'J K move · U suggest again' : undefined}
          live={live}
          empty={{
            title: 'No dismissed suggestions',
            description: 'Dismissed suggestions appear here and can be suggested again.',
            action: emptyAction,
          }}
        />
      </NamesOf>
    </div>
  );
}
