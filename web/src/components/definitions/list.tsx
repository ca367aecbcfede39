/** The list page of existing or deleted crosswalks or relationships, which users review individually or in bulk. */
import type { FilterField } from '@rdm/contracts/lists/filter';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { History, type LucideIcon, Plus } from 'lucide-react';
import { parseAsBoolean, useQueryState } from 'nuqs';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { useCurrentUser } from '../../lib/auth/index.ts';
import { useMayJoinDataSets } from '../../lib/data-sets/index.ts';
import { definitionRooms, definitionsKey, definitionsQuery, deletedRooms } from '../../lib/definitions/index.ts';
import { useLive } from '../../lib/live/index.tsx';
import { useListState } from '../../lib/url-state/list-state.ts';
import { DataGrid, type GridColumn, type RowAction } from '../data-grid/index.ts';
import { PageHeader } from '../page/index.tsx';
import { NamesOf } from '../people/index.tsx';
import { bulkActions } from '../review/actions.ts';
import { type Definition, type DefinitionKind, rowsPath } from '../review/definition-kind.ts';
import { useDefinitionReview } from '../review/definition-review.tsx';
import { freezeDefinitions, useDefinitionsReview } from '../review/definitions.ts';
import { type RowVerb, VERB_ICONS } from '../review/verbs.ts';
import { Button } from '../ui/button.tsx';
import { Switch } from '../ui/switch.tsx';
import { type Undoable, UndoBar } from '../undo-bar/index.tsx';

const BY_NAME = { sort: 'name' } as const;
const NEWEST_FIRST = { sort: 'updatedAt', order: 'DESC' } as const;
const definitionId = (row: Definition) => row.id;

export interface DefinitionListProps<Row extends Definition, Verb extends RowVerb> {
  kind: DefinitionKind<Row, Verb>;
  description: string;
  /** Explains the purpose of such definitions. An empty list shows this text to users who may create a definition. */
  purpose: string;
  columns: readonly GridColumn<Row>[];
  deletedColumns: readonly GridColumn<Row>[];
  filterFields: readonly FilterField[];
  /** The bulk actions, in their order on the page. */
  bulkVerbs: readonly Verb[];
  /** Further row actions of an existing definition; the menu has these actions before the review actions. */
  actionsOf: (row: Row) => readonly RowAction<Row>[];
  /** A page with rows of all definitions, such as their missing mappings. */
  relatedPage: { to: string; label: string; icon: LucideIcon };
}

export function DefinitionList<Row extends Definition, Verb extends RowVerb>(props: DefinitionListProps<Row, Verb>) {
  const { kind, relatedPage } = props;
  const plural = `${kind.name}s` as const;
  const title = `${kind.title}s`;
  const navigate = useNavigate();
  const user = useCurrentUser();
  const [deleted, setDeleted] = useQueryState('deleted', parseAsBoolean.withDefault(false));
  const state = useListState(deleted ? NEWEST_FIRST : BY_NAME);
  const result = useQuery({
    ...definitionsQuery<Row>(kind.name, state.params, deleted),
    placeholderData: keepPreviousData,
  });
  const rows = result.data?.items ?? [];
  const live = useLive({
    rooms: deleted
      ? deletedRooms(kind.name, rows.flatMap(kind.dataSetsOf))
      : definitionRooms(kind.name, rows.map(definitionId)),
    keys: [definitionsKey(kind.name)],
  });
  const [undoable, setUndoable] = useState<Undoable>();
  const review = useDefinitionReview(kind, setUndoable);
  const bulkReview = useDefinitionsReview(kind, setUndoable);
  const mayCreate = useMayJoinDataSets();
  // The list counts as loading until the user's rights are known. Before that, no row is selectable, so the page would
  // ignore a key that selects a row.
  const gridResult = mayCreate === undefined ? { ...result, data: undefined, error: null, isPending: true } : result;
  const [historyRow, setHistoryRow] = useState<Row>();

  const history: RowAction<Row> = { label: 'History', icon: History, onSelect: setHistoryRow };
  const refusalOf = (verb: RowVerb, row: Row) => kind.refusalOf(verb as Verb, row, user.id);
  const openRows = (row: Row) => void navigate(rowsPath(kind, row.id));

  const deletedActionsOf = (row: Row): readonly RowAction<Row>[] => [
    {
      label: kind.wordsOfMany.restore.action,
      icon: VERB_ICONS.restore,
      onSelect: () => void bulkReview.applyToRow('restore', row),
      unavailable: refusalOf('restore', row),
    },
    history,
  ];

  const actionsOf = (row: Row): readonly RowAction<Row>[] => [
    { label: kind.rows.label, icon: kind.rows.icon, onSelect: openRows },
    ...props.actionsOf(row),
    ...kind.verbsOf(row).map((verb) => ({
      label: kind.words[verb].action,
      icon: VERB_ICONS[verb],
      onSelect: () => review.openDialog(verb, row),
      unavailable: refusalOf(verb, row),
      destructive: kind.words[verb].destructive ?? false,
    })),
    history,
  ];

  const create = mayCreate && (
    <Button asChild variant="primary">
      <Link to={`/${plural}/create`}>
        <Plus />
        Create {kind.name}
      </Link>
    </Button>
  );

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title={title}
        description={props.description}
        actions={
          <>
            <Button asChild variant="ghost">
              <Link to={relatedPage.to}>
                <relatedPage.icon />
                {relatedPage.label}
              </Link>
            </Button>
            {create}
          </>
        }
      />
      <NamesOf ids={deleted ? rows.map(({ updatedBy }) => updatedBy) : []}>
        <DataGrid
          label={title}
          entity={plural}
          state={state}
          result={gridResult}
          columns={deleted ? props.deletedColumns : props.columns}
          rowId={definitionId}
          rowActions={deleted ? deletedActionsOf : actionsOf}
          inlineActions={deleted && mayCreate ? 1 : 0}
          // A user with WRITE on a data set may change definitions with this data set as their source.
          bulkActions={
            mayCreate
              ? bulkActions({
                  verbs: deleted ? ['restore'] : props.bulkVerbs,
                  words: kind.wordsOfMany,
                  review: bulkReview,
                  refusalOf,
                })
              : []
          }
          selectionOf={String(deleted)}
          selectAll={(params) => freezeDefinitions(kind.name, params, deleted)}
          onOpen={deleted ? setHistoryRow : openRows}
          filterFields={props.filterFields}
          live={live}
          flashAs={kind.name}
          actions={<Switch label="Deleted" checked={deleted} onCheckedChange={(on) => void setDeleted(on || null)} />}
          empty={
            deleted
              ? { title: `No deleted ${plural}`, description: `Deleted ${plural} stay here and can be restored.` }
              : {
                  title: `No ${plural} yet`,
                  description: mayCreate ? props.purpose : `No ${kind.name} is shared with you yet.`,
                  action: create,
                }
          }
        />
      </NamesOf>
      {review.dialog}
      {bulkReview.dialogs}
      {historyRow !== undefined && <kind.History definition={historyRow} onClose={() => setHistoryRow(undefined)} />}
      {undoable !== undefined && <UndoBar action={undoable} onClose={() => setUndoable(undefined)} />}
    </div>
  );
}
