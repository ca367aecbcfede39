/** The source and target of a crosswalk or relationship, each with its data set and field. */
import { ArrowRight } from 'lucide-react';

interface NamedEnd {
  name: string;
  field: string;
}

export function DataSetEnds({ source, target }: { source: NamedEnd; target: NamedEnd }) {
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-1.5">
      <End {...source} />
      <span className="inline-flex min-w-0 items-center gap-x-1.5">
        <ArrowRight aria-label="to" className="size-3.5 shrink-0 text-muted" />
        <End {...target} />
      </span>
    </span>
  );
}

function End({ name, field }: NamedEnd) {
  return (
    <span className="min-w-0">
      {name} <span className="font-mono text-muted text-xs">{field}</span>
    </span>
  );
}
