/** The filter builder: conditions and groups combined by AND or OR, with the operators that suit each field. */
import type { FilterField, FilterGroup } from '@rdm/contracts/lists/filter';
import { ListFilter } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useConfiguredFields } from '../../lib/filters/index.ts';
import { Button } from '../ui/button.tsx';
import { Popover } from '../ui/popover.tsx';
import { FilterConditions, initialFilter } from './conditions.tsx';
import { IncompleteAlert, useCompleteFilter } from './incomplete-conditions.tsx';
import { countConditions, filterConditions } from './operators.ts';

export interface FilterBuilderProps {
  /** The name of the list. Its filter configurations limit the fields. */
  entity?: string | undefined;
  fields: readonly FilterField[];
  value: FilterGroup | undefined;
  onChange: (filter: FilterGroup | undefined) => void;
}

export function FilterBuilder({ entity, fields, value, onChange }: FilterBuilderProps) {
  const [open, setOpen] = useState(false);
  const offeredFields = useConfiguredFields(entity, fields, open);
  const [changedFilter, setChangedFilter] = useState<FilterGroup>();
  const draft = changedFilter ?? value ?? initialFilter(offeredFields ?? []);
  const check = useCompleteFilter(draft, offeredFields ?? []);
  const count = countConditions(value);

  function apply(next: FilterGroup | undefined) {
    onChange(next);
    setOpen(false);
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    // React passes the event through the portal to the parent component, which can be another form.
    event.stopPropagation();
    if (check.passes(event.currentTarget)) apply(filterConditions(draft));
  }

  return (
    <Popover
      label="Filter"
      className="w-[640px]"
      open={open}
      onOpenChange={(next) => {
        if (next) {
          setChangedFilter(undefined);
          check.reset();
        }
        setOpen(next);
      }}
      trigger={
        <Button
          aria-label={count === 0 ? 'Filter' : `Filter, ${count} ${count === 1 ? 'condition' : 'conditions'} active`}
        >
          <ListFilter />
          Filter
          {count > 0 && <span className="rounded-sm bg-accent px-1 text-accent-ink text-xs">{count}</span>}
        </Button>
      }
    >
      <form onSubmit={submit}>
        {offeredFields === undefined ? (
          <p role="status" className="text-muted">
            Loading…
          </p>
        ) : (
          <FilterConditions
            fields={offeredFields}
            group={draft}
            showsProblems={check.showsProblems}
            onChange={setChangedFilter}
          />
        )}
        <div className="mt-3 flex items-center justify-end gap-2 border-hairline border-t pt-3">
          <IncompleteAlert count={check.incompleteCount} />
          <Button variant="ghost" onClick={() => apply(undefined)}>
            Clear
          </Button>
          <Button variant="primary" type="submit" disabled={offeredFields === undefined}>
            Apply
          </Button>
        </div>
      </form>
    </Popover>
  );
}
