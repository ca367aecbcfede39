/**
 * The page of the integrity issues of a data set: cells that do not match the type of their field, and mappings and
 * relationship values that refer to missing rows.
 */

import { INTEGRITY_KINDS, type IntegrityIssue, type IntegrityKind } from '@rdm/contracts/data-sets/integrity';
import { INTEGRITY_FIELDS } from '@rdm/contracts/data-sets/list-fields';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ArrowLeft, History, Link2 } from 'lucide-react';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { Link, useNavigate, useParams } from 'react-router-dom';
import { columnsOf, DataGrid, linkClasses, type RowAction } from '../../../components/data-grid/index.ts';
import { PageHeader } from '../../../components/page/index.tsx';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Tabs } from '../../../components/ui/tabs.tsx';
import { filterFields } from '../../../lib/filters/filter-fields.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { formatNumber } from '../../../lib/number-format.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { dataSetKey, dataSetQuery } from '../api/data-sets.ts';
import { integrityQuery } from '../api/integrity.ts';

const KIND_WORDS: Record<IntegrityKind, string> = {
  WRONG_TYPE: 'Wrong data type',
  BROKEN_SOURCE: 'Broken source',
  BROKEN_TARGET: 'Broken target',
  BROKEN_RELATIONSHIP: 'Broken relationship',
};
const TABS = ['all', ...INTEGRITY_KINDS] as const;

const issueId = ({ id }: IntegrityIssue) => id;

/** Describes the problem and how a user can solve it. */
function remedy({ kind, field, expected }: IntegrityIssue): string {
  if (kind === 'WRONG_TYPE') return `This value is treated as empty: enter a ${expected}`;
  if (kind === 'BROKEN_RELATIONSHIP') return `The ${field} row was deleted: delete the value too, or restore the row`;
  if (kind === 'BROKEN_SOURCE') return `No row has this value in "${field}": delete the mapping, or restore the row`;
  return `No row has this value in "${field}": choose another target, or restore the row`;
}

/** The path of the tab that lists the mapping or relationship value. */
function pathOf({ kind, parentId, status }: IntegrityIssue): string {
  if (kind === 'BROKEN_RELATIONSHIP') return `/relationships/${parentId}/values?tab=broken`;
  const tab = kind === 'BROKEN_TARGET' ? 'broken' : (status ?? 'draft').toLowerCase();
  return `/crosswalks/${parentId}/mappings?tab=${tab}`;
}

const { custom, text, code, status } = columnsOf<IntegrityIssue>(INTEGRITY_FIELDS);

const kindWords = ({ kind }: IntegrityIssue) => KIND_WORDS[kind];

const COLUMNS = [
  text('kind', { cell: kindWords, value: kindWords, required: true, width: 150 }),
  custom('where', {
    header: 'Where',
    cell: (issue) =>
      issue.parent === null ? (
        <span className="font-mono">{issue.key}</span>
      ) : (
        <span>
          <Link to={pathOf(issue)} className={linkClasses}>
            {issue.parentName}
          </Link>
          <span className="ml-2 font-mono">{issue.sourceValue}</span>
        </span>
      ),
    value: ({ key, parentName, sourceValue }) => key ?? `${parentName} ${sourceValue}`,
    minWidth: 200,
  }),
  text('field', { width: 140 }),
  code('value', { minWidth: 140 }),
  status('status', { width: 120 }),
  custom('remedy', { header: 'Problem and remedy', cell: remedy, value: remedy, minWidth: 280, wrap: true }),
];

const FILTERS = filterFields(INTEGRITY_FIELDS, ['key', 'parentName', 'sourceValue', 'field', 'value', 'status']);

export default function Integrity() {
  const id = Number(useParams()['id']);
  const navigate = useNavigate();
  const [tab] = useQueryState('kind', parseAsStringLiteral(TABS).withDefault('all'));
  const state = useListState();
  const dataSet = useQuery(dataSetQuery(id));
  const kind = tab === 'all' ? undefined : tab;
  const result = useQuery({ ...integrityQuery(id, kind, state.params), placeholderData: keepPreviousData });
  const live = useLive({ rooms: [`data-set:${id}`, 'types'], keys: [dataSetKey(id)] });
  const { counts, unlisted = 0 } = result.data ?? {};
  const countOf = (tabName: (typeof TABS)[number]): number | undefined =>
    counts &&
    (tabName === 'all' ? INTEGRITY_KINDS.reduce((sum, issueKind) => sum + counts[issueKind], 0) : counts[tabName]);

  const openIssue = (issue: IntegrityIssue) =>
    void navigate(issue.parent === null ? `/reference-data/${id}?row=${issue.instanceId}` : pathOf(issue));
  const actionsOf = ({ parent }: IntegrityIssue): readonly RowAction<IntegrityIssue>[] => [
    parent === null
      ? { label: 'Open the row', icon: History, onSelect: openIssue }
      : { label: parent === 'crosswalk' ? 'Open the mappings' : 'Open the values', icon: Link2, onSelect: openIssue },
  ];

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title={dataSet.data === undefined ? 'Integrity' : `Integrity of ${dataSet.data.name}`}
        description="Mappings and relationship values that refer to missing rows, and cells that do not match the type of their field."
        actions={
          <Button asChild variant="ghost">
            <Link to={`/reference-data/${id}`}>
              <ArrowLeft />
              Back to the rows
            </Link>
          </Button>
        }
      />
      <Tabs
        label="Problems by kind"
        className="flex-1"
        value={tab}
        onValueChange={(next) => void navigate({ search: next === 'all' ? '' : `?kind=${next}` })}
        tabs={TABS.map((value) => {
          const count = countOf(value);
          return {
            value,
            label: value === 'all' ? 'All' : KIND_WORDS[value],
            count: count === undefined ? '–' : formatNumber(count),
          };
        })}
      >
        {unlisted > 0 && (
          <Alert tone="info" className="mb-3">
            {`${formatNumber(unlisted)} more ${unlisted === 1 ? 'crosswalk or relationship has' : 'crosswalks and relationships have'} problems that are not listed. Resolve the listed problems to see the others.`}
          </Alert>
        )}
        <DataGrid
          key={tab}
          label="Problems"
          entity={`integrity:${id}`}
          state={state}
          result={result}
          columns={COLUMNS}
          rowId={issueId}
          filterFields={FILTERS}
          rowActions={actionsOf}
          onOpen={openIssue}
          live={live}
          empty={{
            title: tab === 'all' ? 'Nothing is broken' : 'No problems of this kind',
            description:
              tab === 'all'
                ? 'Every cell matches the type of its field, and all mappings and relationship values that you can read refer to existing rows.'
                : 'The tab All lists problems of all kinds.',
          }}
        />
      </Tabs>
    </div>
  );
}
