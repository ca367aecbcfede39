/** The comparison: target values as rows, source systems as columns, with agreements, conflicts and gaps. */

import type { ComparedRow, ComparedSystem } from '@rdm/contracts/crosswalks/comparison';
import { COMPARISON_FIELDS } from '@rdm/contracts/crosswalks/list-fields';
import type { FilterField } from '@rdm/contracts/lists/filter';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { parseAsBoolean, useQueryState } from 'nuqs';
import { useMemo, useState } from 'react';
import { Link, useParams } from 'react-router-dom';
import { DataGrid, type GridColumn } from '../../../components/data-grid/index.ts';
import { NotLoaded } from '../../../components/empty-state/not-loaded.tsx';
import { ExportFormats } from '../../../components/exports/index.tsx';
import { BackLink, PageHeader } from '../../../components/page/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { MenuSeparator } from '../../../components/ui/dropdown-menu.tsx';
import { Switch } from '../../../components/ui/switch.tsx';
import { ApiError } from '../../../lib/api/index.ts';
import { useMayJoinDataSets } from '../../../lib/data-sets/index.ts';
import { filterFields } from '../../../lib/filters/filter-fields.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { comparisonExportUrl, comparisonKey, comparisonQuery } from '../api/comparison.ts';
import { ComparedCell, cellText, STATE_WORDS, StateMark } from '../components/comparison/ComparedCell.tsx';
import { MapCellDialog } from '../components/comparison/MapCellDialog.tsx';
import { Value } from '../components/mappings/mapping-columns.tsx';

const targetOf = (row: ComparedRow) => row.targetValue;
const NO_SYSTEMS: readonly ComparedSystem[] = [];

export default function Comparison() {
  const targetId = Number(useParams()['targetDatasetId']);
  const [onlyConflicts, setOnlyConflicts] = useQueryState('conflicts', parseAsBoolean.withDefault(false));
  const [cellToMap, setCellToMap] = useState<{ system: ComparedSystem; targetValue: string }>();
  const state = useListState();
  const result = useQuery({
    ...comparisonQuery(targetId, state.params, onlyConflicts),
    placeholderData: keepPreviousData,
  });
  const systems = result.data?.systems ?? NO_SYSTEMS;
  const live = useLive({
    rooms: systems.flatMap(({ crosswalks }) => crosswalks.map(({ id }) => `crosswalk:${id}`)),
    keys: [comparisonKey(targetId)],
  });
  const mayMap = useMayJoinDataSets();

  const columns = useMemo<readonly GridColumn<ComparedRow>[]>(
    () => [
      {
        id: 'targetValue',
        header: result.data?.targetAttribute ?? 'Target',
        cell: (row) => <Value value={row.targetValue} label={row.targetLabel} />,
        value: (row) => row.targetValue,
        sortable: true,
        required: true,
        minWidth: 160,
        wrap: true,
      },
      ...systems.map(
        (system): GridColumn<ComparedRow> => ({
          id: `system-${system.dataSetId}`,
          header: system.name,
          cell: (row) => (
            <ComparedCell
              cell={row.cells.find(({ dataSetId }) => dataSetId === system.dataSetId)}
              onMap={mayMap ? () => setCellToMap({ system, targetValue: row.targetValue }) : undefined}
            />
          ),
          value: (row) => cellText(row.cells.find(({ dataSetId }) => dataSetId === system.dataSetId)),
          minWidth: 160,
          wrap: true,
        }),
      ),
    ],
    [systems, result.data?.targetAttribute, mayMap],
  );

  const attribute = result.data?.targetAttribute;
  const isFiltered = onlyConflicts || state.params.q !== undefined || state.params.filter !== undefined;
  const filters = useMemo<readonly FilterField[]>(
    () => [
      { name: 'targetValue', label: attribute ?? 'Target', dataType: 'string' },
      ...filterFields(COMPARISON_FIELDS, ['targetLabel', 'isConflict']),
      ...systems.map(
        ({ dataSetId, name }): FilterField => ({
          name: `system-${dataSetId}`,
          label: name,
          dataType: 'array',
        }),
      ),
    ],
    [systems, attribute],
  );

  if (result.error instanceof ApiError && result.error.status === 404) {
    return (
      <NotLoaded
        noun="data set"
        error={result.error}
        onRetry={() => void result.refetch()}
        list={{ to: '/crosswalks', label: 'All crosswalks' }}
      />
    );
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <BackLink to="/crosswalks">Crosswalks</BackLink>
      <PageHeader
        title={result.data === undefined ? 'Comparison' : `Comparison: ${result.data.targetName}`}
        description={
          <span className="flex flex-wrap items-center gap-x-4">
            The approved mappings of each source system.
            {(['agree', 'conflict', 'broken', 'absent'] as const).map((mark) => (
              <span key={mark} className="inline-flex items-center gap-1 text-xs">
                <StateMark state={mark} />
                <span aria-hidden="true">{STATE_WORDS[mark]}</span>
              </span>
            ))}
          </span>
        }
      />
      <DataGrid
        label="Comparison"
        entity={`comparison:${targetId}`}
        state={state}
        result={result}
        columns={columns}
        rowId={targetOf}
        filterFields={filters}
        live={live}
        exports={
          <>
            <ExportFormats
              label={isFiltered ? 'Values that match' : 'All values'}
              urlOf={(format) => comparisonExportUrl(targetId, format, state.params, onlyConflicts)}
            />
            {isFiltered && (
              <>
                <MenuSeparator />
                <ExportFormats label="All values" urlOf={(format) => comparisonExportUrl(targetId, format)} />
              </>
            )}
          </>
        }
        actions={
          <Switch
            label="Only conflicts"
            checked={onlyConflicts}
            onCheckedChange={(on) => {
              state.setPage(1);
              void setOnlyConflicts(on || null);
            }}
          />
        }
        empty={
          onlyConflicts
            ? {
                title: 'No conflicts',
                description: 'No source value is mapped to several targets.',
                action: <Button onClick={() => void setOnlyConflicts(null)}>Show all values</Button>,
              }
            : {
                title: 'No crosswalk maps to this data set yet',
                description: 'Approved crosswalks to this data set are compared here.',
                action: (
                  <Button asChild>
                    <Link to="/crosswalks">All crosswalks</Link>
                  </Button>
                ),
              }
        }
      />
      {cellToMap !== undefined && <MapCellDialog {...cellToMap} onClose={() => setCellToMap(undefined)} />}
    </div>
  );
}
