/** Adds, renames, changes and retires the fields of a type. */
import type { ChangeSchema, ReferenceTypeView, SchemaFieldView } from '@rdm/contracts/reference-types/reference-types';
import { useQuery, useQueryClient } from '@tanstack/react-query';

import { useState } from 'react';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Drawer } from '../../../components/ui/drawer.tsx';
import { ApiError } from '../../../lib/api/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { changeSchema, reloadTypes, schemasQuery } from '../api/types.ts';
import { asSchemas, type DraftField, FieldRows } from './FieldRows.tsx';
import { SchemaImpactDialog } from './SchemaImpactDialog.tsx';
import { schemaProblem } from './validate.ts';

export interface SchemaDrawerProps {
  type: ReferenceTypeView;
  mayChange: boolean;
  onClose: () => void;
}

export function SchemaDrawer({ type, mayChange, onClose }: SchemaDrawerProps) {
  const { data, error, refetch } = useQuery(schemasQuery(type));
  return (
    <Drawer
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Schema of ${type.name}`}
      description="Renaming a field changes no row, and the values of a removed field stay in the history."
    >
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && (
        <p role="status" className="text-muted">
          Loading...
        </p>
      )}
      {data !== undefined && <SchemaForm type={type} fields={data} mayChange={mayChange} onClose={onClose} />}
    </Drawer>
  );
}

const draftFieldsOf = (fields: readonly SchemaFieldView[]): DraftField[] =>
  fields.map((field) => ({
    key: field.fieldId,
    fieldId: field.fieldId,
    name: field.name,
    dataType: field.dataType,
    isPrimaryKey: field.isPrimaryKey,
    lockedReason: lockOf(field),
    notRemovableReason: field.isReferenced
      ? 'Relationships or crosswalks use this field, so it cannot be removed.'
      : undefined,
    retired: false,
  }));

/** Why a field is locked, by the rules of `planSchema` in contracts. */
function lockOf({ isKeyOfDataSets, isPrimaryKey, isReferenced }: SchemaFieldView): string | undefined {
  if (isKeyOfDataSets) return 'This field identifies the rows of data sets: only its name can change.';
  if (isPrimaryKey && isReferenced) return 'Relationships or crosswalks use this key: only its name can change.';
  return undefined;
}

function SchemaForm({
  type,
  fields: stored,
  mayChange,
  onClose,
}: SchemaDrawerProps & { fields: readonly SchemaFieldView[] }) {
  const queries = useQueryClient();
  const [expectedRevision] = useState(type.revision);
  const [fields, setFields] = useState(() => draftFieldsOf(stored));
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [pending, setPending] = useState<ChangeSchema>();

  /** Saves the schema. If the type has data sets, first shows the impact on their rows. */
  function submit() {
    const invalid = schemaProblem(fields);
    setProblem(invalid);
    if (invalid !== undefined) return;
    if (type.dataSetCount > 0) setPending({ schemas: asSchemas(fields) });
    else void save({ schemas: asSchemas(fields) });
  }

  async function save(change: ChangeSchema) {
    setBusy(true);
    try {
      await changeSchema(type.id, expectedRevision, change);
      await reloadTypes(queries);
      notify.success('Schema saved');
      onClose();
    } catch (error) {
      const stale = error instanceof ApiError && error.code === 'STALE';
      setPending(undefined);
      setProblem(
        stale
          ? `${messageOf(error)}. Close this drawer and open it again to see the current fields.`
          : messageOf(error),
      );
      setBusy(false);
    }
  }

  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {problem !== undefined && <Alert tone="error">{problem}</Alert>}
      <fieldset disabled={!mayChange} className="flex flex-col gap-3">
        <legend className="sr-only">Fields</legend>
        <FieldRows
          fields={fields}
          checked={problem !== undefined}
          keyLocked={type.dataSetCount > 0}
          mayAdd={mayChange}
          onChange={setFields}
        />
      </fieldset>
      {mayChange ? (
        <div className="flex justify-end gap-2 border-hairline border-t pt-3">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={busy} aria-busy={busy}>
            {busy ? 'Saving…' : 'Save Schema'}
          </Button>
        </div>
      ) : (
        <p className="text-muted">You can read this schema, but not change it.</p>
      )}
      {pending !== undefined && (
        <SchemaImpactDialog
          type={type}
          change={pending}
          busy={busy}
          onCancel={() => setPending(undefined)}
          onProceed={() => void save(pending)}
        />
      )}
    </form>
  );
}
