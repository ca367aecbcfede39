/** The dialog that copies a definition and its rows, and the list of the rows that cannot be copied. */

import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import type { DefinitionName } from '../../lib/definitions/index.ts';
import { failedTitle, messageOf } from '../../lib/messages/index.ts';
import { formatNumber } from '../../lib/number-format.ts';
import { FormDialog } from '../form-dialog/index.tsx';
import { notify } from '../toast/index.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { Field, Input } from '../ui/input.tsx';

const NAME_LENGTH_MAX = 200;
const SHOWN_ROWS = 20;

export interface CopyDialogProps {
  name: DefinitionName;
  title: string;
  description: string;
  /** The initial name of the copy, which the user can change. */
  suggestedName: string;
  /** The error that is shown while the name is empty. */
  emptyNameError: string;
  /** The verb in the title of an error. */
  verb: string;
  /** The label of the button. */
  confirm: string;
  isReady: boolean;
  /** Formats a number of rows: "3 mappings". */
  countText: (count: number) => string;
  /** Returns the numbers of copied and of not copied rows, and the path of the copy. */
  copy: (name: string) => Promise<{ copied: number; notCopied: number; page: string }>;
  onClose: () => void;
  /** The options of the copy and its preview. */
  children: ReactNode;
}

export function CopyDialog(props: CopyDialogProps) {
  const { countText, onClose } = props;
  const form = useId();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const suggestedName = props.suggestedName.slice(0, NAME_LENGTH_MAX);
  const [name, setName] = useState(suggestedName);
  const [busy, setBusy] = useState(false);
  const isNamed = name.trim() !== '';

  async function copy(event: FormEvent) {
    event.preventDefault();
    if (!isNamed || !props.isReady) return;
    setBusy(true);
    try {
      const { copied, notCopied, page } = await props.copy(name);
      const note = notCopied === 0 ? {} : { description: `${countText(notCopied)} could not be copied.` };
      notify.success(`${countText(copied)} copied as drafts`, note);
      onClose();
      void navigate(page);
    } catch (error) {
      notify.error(messageOf(error), { title: failedTitle(props.verb, error) });
      setBusy(false);
    }
    await queries.invalidateQueries({ queryKey: [`${props.name}s`] });
  }

  return (
    <FormDialog
      dirty={name !== suggestedName && !busy}
      onClose={onClose}
      title={props.title}
      description={props.description}
      footer={(leave) => (
        <>
          <Button onClick={leave}>Cancel</Button>
          <Button
            variant="primary"
            type="submit"
            form={form}
            disabled={busy || !isNamed || !props.isReady}
            aria-busy={busy}
          >
            {props.confirm}
          </Button>
        </>
      )}
    >
      <form id={form} noValidate className="flex flex-col gap-4" onSubmit={(event) => void copy(event)}>
        <Field label="Name" required error={isNamed ? undefined : props.emptyNameError}>
          {(control) => (
            <Input
              {...control}
              required
              maxLength={NAME_LENGTH_MAX}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        {props.children}
      </form>
    </FormDialog>
  );
}

export interface RowsNotCopiedProps {
  title: string;
  count: number;
  /** The first rows that cannot be copied, with the reasons. */
  rows: readonly { id: number; pair: string; message: string }[];
}

export function RowsNotCopied({ title, count, rows }: RowsNotCopiedProps) {
  const shownCount = Math.min(SHOWN_ROWS, rows.length);
  return (
    <Alert tone="warning" title={title}>
      <ul className="flex flex-col gap-1">
        {rows.slice(0, SHOWN_ROWS).map(({ id, pair, message }) => (
          <li key={id}>
            <span className="font-mono">{pair}</span>
            <span className="block text-xs">{message}</span>
          </li>
        ))}
      </ul>
      {count > shownCount && <p>and {formatNumber(count - shownCount)} more</p>}
    </Alert>
  );
}
