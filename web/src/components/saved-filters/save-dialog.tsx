/** Saves the current view of a list under a name. */
import type { ListView } from '@rdm/contracts/filters/saved-filters';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { createSavedFilter, reloadSavedFilters } from '../../lib/filters/index.ts';
import { messageOf } from '../../lib/messages/index.ts';
import { countConditions } from '../filter-builder/operators.ts';
import { FormDialog } from '../form-dialog/index.tsx';
import { notify } from '../toast/index.ts';
import { Button } from '../ui/button.tsx';
import { Field, Input } from '../ui/input.tsx';
import { Switch } from '../ui/switch.tsx';

const FORM = 'save-filter';

export interface SaveFilterDialogProps {
  entity: string;
  view: ListView;
  onClose: () => void;
}

export function SaveFilterDialog({ entity, view, onClose }: SaveFilterDialogProps) {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [isShared, setShared] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function save(event: FormEvent) {
    event.preventDefault();
    // The parent component can be inside another form. React would submit that form too, although this dialog is in a
    // portal.
    event.stopPropagation();
    if (name.trim() === '') {
      setProblem('Name is required');
      return;
    }
    setBusy(true);
    setProblem(undefined);
    try {
      await createSavedFilter({ name, entity, view, isShared });
      notify.success('Filter saved', { description: name });
      await reloadSavedFilters(queries);
      onClose();
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  }

  return (
    <FormDialog
      dirty={name !== '' && !busy}
      onClose={onClose}
      title="Save this view"
      description={describeView(view)}
      footer={(leave) => (
        <>
          <Button onClick={leave}>Cancel</Button>
          <Button variant="primary" type="submit" form={FORM} disabled={busy} aria-busy={busy}>
            Save
          </Button>
        </>
      )}
    >
      <form id={FORM} noValidate className="flex flex-col gap-4" onSubmit={(event) => void save(event)}>
        <Field label="Name" required error={problem}>
          {(control) => (
            <Input
              {...control}
              required
              maxLength={200}
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <Switch
          label="Share the filter with all users who can read this list"
          checked={isShared}
          onCheckedChange={setShared}
        />
      </form>
    </FormDialog>
  );
}

/** Describes the content of a view in one line. */
export function describeView({ filter, q, sort, order, columns }: ListView): string {
  const conditions = countConditions(filter ?? undefined);
  const parts = [
    conditions > 0 && `${conditions} ${conditions === 1 ? 'condition' : 'conditions'}`,
    q !== null && q !== '' && `search for “${q}”`,
    sort !== null && `sorted by ${sort}${order === 'DESC' ? ', descending' : ''}`,
    columns !== null && `${columns.length} ${columns.length === 1 ? 'column' : 'columns'}`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'The whole list, in its default view' : parts.join(' · ');
}
