/** The Reference Data Types page (specification §2): summary, list, and the actions on a type. */

import { mayOpen } from '@rdm/contracts/access/permissions';
import { REFERENCE_TYPE_FIELDS } from '@rdm/contracts/reference-types/list-fields';
import type { ReferenceTypeView, SchemaFieldView } from '@rdm/contracts/reference-types/reference-types';
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowLeft, Bug, Check, Columns3, ListChecks, Pencil, Plus, Trash2, X } from 'lucide-react';
import { parseAsBoolean, useQueryState } from 'nuqs';
import { createContext, useContext, useEffect, useState } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { columnsOf, DataGrid, type RowAction, useLocalPaging } from '../../../components/data-grid/index.ts';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Button } from '../../../components/ui/button.tsx';
import { Switch } from '../../../components/ui/switch.tsx';
import { useAbility, useCurrentUser } from '../../../lib/auth/index.ts';
import { filterFields } from '../../../lib/filters/filter-fields.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import {
  dependenciesQuery,
  hasDependants,
  listedTypesQuery,
  reloadTypes,
  schemasQuery,
  typesKey,
  typesQuery,
} from '../api/types.ts';
import { AddTypeDialog } from '../components/AddTypeDialog.tsx';
import { EditableCell, InlineEditContext, useInlineEdit } from '../components/inline-edit.tsx';
import { SchemaBadges } from '../components/SchemaBadges.tsx';
import { type TypeDialog, TypeDialogs } from '../components/TypeDialogs.tsx';
import { TypeSummary } from '../components/TypeSummary.tsx';

interface SchemaDisplay {
  /** Undefined while the fields of a type are loading. */
  fieldsOf: (type: ReferenceTypeView) => readonly SchemaFieldView[] | undefined;
  allColumns: boolean;
}

const SchemaDisplayContext = createContext<SchemaDisplay>({ fieldsOf: () => undefined, allColumns: false });

function SchemaDetails({ type }: { type: ReferenceTypeView }) {
  const { fieldsOf, allColumns } = useContext(SchemaDisplayContext);
  return <SchemaBadges fields={fieldsOf(type)} allColumns={allColumns} />;
}

const { custom, text, number, code } = columnsOf<ReferenceTypeView>(REFERENCE_TYPE_FIELDS);

const COLUMNS = [
  code('id', { width: 72 }),
  text('name', {
    cell: (type) => <EditableCell type={type} field="name" empty="—" />,
    required: true,
    minWidth: 180,
    wrap: true,
  }),
  text('description', {
    cell: (type) => <EditableCell type={type} field="description" empty="No description" />,
    minWidth: 200,
    wrap: true,
  }),
  number('schemaCount', { width: 116 }),
  custom('schemas', {
    header: 'Schema Details',
    cell: (type) => <SchemaDetails type={type} />,
    sortable: false,
    minWidth: 260,
    wrap: true,
  }),
];

const FILTERS = filterFields(REFERENCE_TYPE_FIELDS);

const typeId = (type: ReferenceTypeView) => type.id;
const ROOMS = ['types'];
const KEYS = [typesKey];

export default function ReferenceTypes() {
  const queries = useQueryClient();
  const mayChange = useAbility('types.write');
  const mayValidate = mayOpen('/validation-test', useCurrentUser());
  const navigate = useNavigate();
  const state = useListState({ sort: 'name' });
  const [allColumns, setAllColumns] = useQueryState('allColumns', parseAsBoolean.withDefault(false));
  const [isAdding, setAdding] = useQueryState('new', parseAsBoolean.withDefault(false));
  const [dialog, setDialog] = useState<TypeDialog>();
  const inline = useInlineEdit();

  const types = useQuery(typesQuery);
  const live = useLive({ rooms: ROOMS, keys: KEYS });
  const list = useLocalPaging(useQuery(listedTypesQuery(state.params)), state.params);
  const shownTypes = list.data?.items ?? [];
  const schemas = useQueries({ queries: shownTypes.map((type) => schemasQuery(type)) });
  // A type whose fields cannot be loaded is shown without fields (§8).
  const fields = new Map(
    shownTypes.map((type, index) => [type.id, schemas[index]?.isError ? [] : schemas[index]?.data]),
  );

  const isSummaryFailed = types.error !== null && types.data === undefined;
  const isFailed = isSummaryFailed && list.error !== null && list.data === undefined;
  useEffect(() => {
    if (isFailed) notify.error('Failed to fetch reference types', { shownInPage: true });
  }, [isFailed]);

  /** Shows the dependants of the type or, if there are none, the confirmation. */
  async function startDeletion(type: ReferenceTypeView) {
    try {
      const analysis = await queries.fetchQuery(dependenciesQuery(type.id));
      setDialog({ type, step: hasDependants(analysis) ? 'delete-impact' : 'delete-confirm' });
    } catch (error) {
      notify.error(messageOf(error));
    }
  }

  function actionsOf(type: ReferenceTypeView): readonly RowAction<ReferenceTypeView>[] {
    if (inline.editing?.id === type.id) {
      return [
        { label: 'Save', icon: Check, onSelect: inline.save },
        { label: 'Cancel', icon: X, onSelect: inline.cancel },
      ];
    }
    const schema = { label: 'Schema', icon: Columns3, onSelect: () => setDialog({ type, step: 'schema' }) };
    const validate = {
      label: 'Validate rows',
      icon: ListChecks,
      onSelect: () => void navigate(`/validation-test?type=${type.id}`),
    };
    const readActions = mayValidate ? [schema, validate] : [schema];
    if (!mayChange) return readActions;
    return [
      { label: 'Edit', icon: Pencil, onSelect: () => setDialog({ type, step: 'edit-impact' }) },
      { label: 'Delete', icon: Trash2, onSelect: () => void startDeletion(type), destructive: true },
      ...readActions,
    ];
  }

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title="Reference Data Types"
        description="Define the fields and keys that your data sets share."
        actions={
          <>
            <Button asChild variant="ghost">
              <Link to="/reference-types" onClick={state.clear}>
                <ArrowLeft />
                Back to Reference Types
              </Link>
            </Button>
            <Button asChild>
              <Link to="/reference-types-debug">
                <Bug />
                Debug Schemas
              </Link>
            </Button>
            {mayChange && (
              <Button variant="primary" onClick={() => void setAdding(true)}>
                <Plus />
                Add New Type
              </Button>
            )}
          </>
        }
      />
      {isFailed ? (
        <ErrorState
          title="Failed to fetch reference types"
          error={types.error}
          onRetry={() => void reloadTypes(queries)}
        />
      ) : (
        <>
          <TypeSummary types={types.data} isFailed={isSummaryFailed && list.data !== undefined} />
          <SchemaDisplayContext value={{ fieldsOf: (type) => fields.get(type.id), allColumns }}>
            <InlineEditContext value={inline}>
              <DataGrid
                label="Reference Data Types"
                entity="reference-types"
                state={state}
                result={list}
                columns={COLUMNS}
                rowId={typeId}
                rowActions={actionsOf}
                inlineActions={3}
                filterFields={FILTERS}
                onOpen={(type) => setDialog({ type, step: 'schema' })}
                live={live}
                flashAs="reference-type"
                actions={
                  <Switch
                    label="Show all columns"
                    checked={allColumns}
                    onCheckedChange={(on) => void setAllColumns(on || null)}
                  />
                }
                empty={{
                  title: 'No reference data types yet',
                  description: 'A type describes data sets of one kind by their fields.',
                  action: mayChange && (
                    <Button variant="primary" onClick={() => void setAdding(true)}>
                      <Plus />
                      Add New Type
                    </Button>
                  ),
                }}
              />
            </InlineEditContext>
          </SchemaDisplayContext>
        </>
      )}

      {isAdding && mayChange && <AddTypeDialog onClose={() => void setAdding(null)} />}
      <TypeDialogs dialog={dialog} onChange={setDialog} inline={inline} mayChange={mayChange} />
    </div>
  );
}
