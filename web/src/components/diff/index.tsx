/**
 * The changed fields of a record, with the old value after − and the new value after +. Unchanged fields are collapsed.
 */
import { useState } from 'react';
import { Button } from '../ui/button.tsx';

export interface DiffField {
  label: string;
  before: unknown;
  after: unknown;
}

/** The text of a value in a diff or a cell; a dash if there is no value. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '—';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export function Diff({ fields }: { fields: readonly DiffField[] }) {
  const [isExpanded, setExpanded] = useState(false);
  const changedFields = fields.filter((field) => valueText(field.before) !== valueText(field.after));
  const unchanged = fields.filter((field) => valueText(field.before) === valueText(field.after));
  return (
    <div className="text-sm">
      <dl className="divide-y divide-hairline border-hairline border-y">
        {changedFields.map((field) => (
          <div key={field.label} className="grid grid-cols-[minmax(6rem,10rem)_1fr] gap-3 py-1.5">
            <dt className="truncate text-muted">{field.label}</dt>
            <dd className="min-w-0 break-words font-mono">
              <del className="block text-danger-text no-underline">
                <span aria-hidden="true">− </span>
                <span className="sr-only">before: </span>
                {valueText(field.before)}
              </del>
              <ins className="block text-added no-underline">
                <span aria-hidden="true">+ </span>
                <span className="sr-only">after: </span>
                {valueText(field.after)}
              </ins>
            </dd>
          </div>
        ))}
        {isExpanded &&
          unchanged.map((field) => (
            <div key={field.label} className="grid grid-cols-[minmax(6rem,10rem)_1fr] gap-3 py-1.5">
              <dt className="truncate text-muted">{field.label}</dt>
              <dd className="min-w-0 break-words font-mono">{valueText(field.after)}</dd>
            </div>
          ))}
      </dl>
      {changedFields.length === 0 && <p className="py-1.5 text-muted">Nothing changed.</p>}
      {unchanged.length > 0 && (
        <Button
          variant="ghost"
          size="sm"
          className="mt-1"
          aria-expanded={isExpanded}
          onClick={() => setExpanded(!isExpanded)}
        >
          {isExpanded ? 'Hide' : 'Show'} {unchanged.length} unchanged {unchanged.length === 1 ? 'field' : 'fields'}
        </Button>
      )}
    </div>
  );
}
