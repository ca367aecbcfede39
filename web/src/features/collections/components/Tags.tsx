/** Tags as badges. */
import { Badge } from '../../../components/ui/badge.tsx';

export function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return <span className="text-muted">—</span>;
  return (
    <span className="flex flex-wrap gap-1">
      {tags.map((tag) => (
        <Badge key={tag} tone="outline">
          {tag}
        </Badge>
      ))}
    </span>
  );
}
