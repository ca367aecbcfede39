/** A type's fields as badges, all of them or only the primary key (specification §2). */
import type { SchemaFieldView } from '@rdm/contracts/reference-types/reference-types';
import { Badge } from '../../../components/ui/badge.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';

export interface SchemaBadgesProps {
  /** Undefined while loading. */
  fields: readonly SchemaFieldView[] | undefined;
  allColumns: boolean;
}

export function SchemaBadges({ fields, allColumns }: SchemaBadgesProps) {
  if (fields === undefined) return <Skeleton className="w-24" />;
  if (fields.length === 0) return <span className="text-muted">No schemas</span>;
  const shownFields = allColumns ? fields : fields.filter((field) => field.isPrimaryKey);
  if (shownFields.length === 0) return <span className="text-muted">No primary key</span>;
  return (
    <ul className="flex flex-wrap gap-1">
      {shownFields.map((field) => (
        <li key={field.name} className="max-w-full">
          <Badge tone={field.isPrimaryKey ? 'accent' : 'neutral'} className="font-mono">
            <span className="truncate">
              {field.name}: {field.dataType}
              {field.isPrimaryKey && ' (PK)'}
            </span>
          </Badge>
        </li>
      ))}
    </ul>
  );
}
