/** Prevents applying an incomplete filter: incomplete conditions show what is missing, and the first gets the focus. */
import type { FilterField, FilterGroup } from '@rdm/contracts/lists/filter';
import { useEffect, useRef, useState } from 'react';
import { countIncomplete } from './operators.ts';

export function useCompleteFilter(draft: FilterGroup, fields: readonly FilterField[]) {
  const [refusedAttempts, setRefusedAttempts] = useState(0);
  const form = useRef<HTMLElement>(undefined);
  const incompleteCount = countIncomplete(draft, fields);
  // This is an effect, because the conditions must be marked before the query selector can find them.
  useEffect(() => {
    if (refusedAttempts > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusedAttempts]);
  return {
    /** Whether the user has tried to apply an incomplete filter since the last `reset`. */
    showsProblems: refusedAttempts > 0,
    /** The number of incomplete conditions; 0 while `showsProblems` is false. */
    incompleteCount: refusedAttempts > 0 ? incompleteCount : 0,
    /** Returns whether the filter can be applied; otherwise marks the incomplete conditions in the form. */
    passes(checkedForm: HTMLElement): boolean {
      if (incompleteCount === 0) return true;
      form.current = checkedForm;
      setRefusedAttempts(refusedAttempts + 1);
      return false;
    },
    reset: () => setRefusedAttempts(0),
  };
}

export function IncompleteAlert({ count }: { count: number }) {
  return (
    <p role="alert" className="mr-auto text-danger-text text-sm">
      {count > 0 && `${count === 1 ? 'One condition is' : `${count} conditions are`} not finished: nothing was applied`}
    </p>
  );
}
