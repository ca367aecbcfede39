/** Lets the user choose a value for each field that two users changed at the same time. */
import { useState } from 'react';
import type { Overlap } from '../../lib/conflict/index.ts';
import { valueText } from '../diff/index.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

export interface ConflictDialogProps<Field extends string> {
  overlaps: readonly Overlap<Field>[];
  labels: Record<Field, string>;
  /** The name of the record, if the page behind the dialog does not show it. */
  subject?: string;
  onCancel: () => void;
  /** Called with the fields for which the user keeps their own value. */
  onResolve: (mine: ReadonlySet<Field>) => void;
}

export function ConflictDialog<Field extends string>({
  overlaps,
  labels,
  subject,
  onCancel,
  onResolve,
}: ConflictDialogProps<Field>) {
  const [mine, setMine] = useState<ReadonlySet<Field>>(new Set());
  const choose = (field: Field, own: boolean) => {
    const next = new Set(mine);
    if (own) next.add(field);
    else next.delete(field);
    setMine(next);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onCancel()}
      title="Another user changed the same fields"
      description={`${subject === undefined ? 'Choose' : `${subject}: choose`} which value to keep. Nothing is saved before you select Save.`}
      footer={
        <>
          <Button onClick={onCancel}>Continue editing</Button>
          <Button variant="primary" onClick={() => onResolve(mine)}>
            Save
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {overlaps.map(({ field, base, mine: own, theirs }) => (
          <fieldset key={field} className="rounded-md border border-hairline p-3">
            <legend className="px-1 font-medium">{labels[field]}</legend>
            <p className="mb-2 text-muted text-xs">Original value: {valueText(base)}</p>
            {[
              { value: theirs, label: 'Theirs', checked: !mine.has(field), own: false },
              { value: own, label: 'Mine', checked: mine.has(field), own: true },
            ].map((choice) => (
              <label key={choice.label} className="flex gap-2 py-1">
                <input
                  type="radio"
                  name={field}
                  className="mt-1 shrink-0 accent-accent"
                  checked={choice.checked}
                  onChange={() => choose(field, choice.own)}
                />
                <span className="min-w-0 break-words">
                  <span className="font-medium">{choice.label}:</span> {valueText(choice.value)}
                </span>
              </label>
            ))}
          </fieldset>
        ))}
      </div>
    </Dialog>
  );
}
