/** A list of records to select, and the search field above it. */
import { Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { LabelledCheckbox } from '../ui/checkbox.tsx';
import { Input } from '../ui/input.tsx';

export interface SearchInputProps {
  label: string;
  placeholder?: string;
  value: string;
  onChange: (text: string) => void;
}

export function SearchInput({ label, placeholder = 'Search', value, onChange }: SearchInputProps) {
  return (
    <div className="relative">
      <Search aria-hidden="true" className="pointer-events-none absolute top-2 left-2 size-4 text-muted" />
      <Input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        className="pl-8"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}

export interface ChecklistProps {
  options: readonly { id: number; name: string; detail: ReactNode }[];
  selectedIds: ReadonlySet<number>;
  onChange: (selectedIds: ReadonlySet<number>) => void;
}

export function Checklist({ options, selectedIds, onChange }: ChecklistProps) {
  function toggle(id: number, isChecked: boolean) {
    const next = new Set(selectedIds);
    if (isChecked) next.add(id);
    else next.delete(id);
    onChange(next);
  }

  return (
    <ul className="divide-y divide-hairline border-hairline border-y">
      {options.map(({ id, name, detail }) => (
        <li key={id} className="py-2">
          <LabelledCheckbox
            checked={selectedIds.has(id)}
            onCheckedChange={(checked) => toggle(id, checked === true)}
            label={
              <>
                {name} <span className="text-muted">{detail}</span>
              </>
            }
          />
        </li>
      ))}
    </ul>
  );
}
