/** Shows each type as it is stored: its schema, its revision and its last events as JSON, which users can copy. */
import type { ReferenceTypeView } from '@rdm/contracts/reference-types/reference-types';
import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, ChevronRight, Copy } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { copyText } from '../../../components/copy-text/index.ts';
import { EmptyState, ErrorState } from '../../../components/empty-state/index.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Button } from '../../../components/ui/button.tsx';
import { cn } from '../../../components/ui/cn.ts';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { useLive } from '../../../lib/live/index.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { debugQuery, typesQuery } from '../api/types.ts';

const ROOMS = ['types'];
const KEYS = [['reference-types']];

export default function DebugSchemas() {
  const { data: types, error, refetch, isPending } = useQuery(typesQuery);
  useLive({ rooms: ROOMS, keys: KEYS });
  return (
    <>
      <PageHeader
        title="Debug Schemas"
        description="Reference data types as they are stored."
        actions={
          <Button asChild>
            <Link to="/reference-types">
              <ArrowLeft />
              Back to Reference Types
            </Link>
          </Button>
        }
      />
      {isPending && <Skeleton className="w-1/3" />}
      {error !== null && types === undefined && <ErrorState error={error} onRetry={() => void refetch()} />}
      {types?.length === 0 && <EmptyState title="No reference data types yet" />}
      {types !== undefined && types.length > 0 && (
        <ul className="divide-y divide-hairline rounded-md border border-hairline bg-surface">
          {types.map((type) => (
            <StoredType key={type.id} type={type} />
          ))}
        </ul>
      )}
    </>
  );
}

function StoredType({ type }: { type: ReferenceTypeView }) {
  const [open, setOpen] = useState(false);
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        className="flex w-full items-center gap-2 px-3 py-2 text-left hover:bg-hover"
        onClick={() => setOpen(!open)}
      >
        <ChevronRight aria-hidden="true" className={cn('size-4 shrink-0 transition-transform', open && 'rotate-90')} />
        <span className="font-mono text-muted">{type.id}</span>
        <span className="min-w-0 flex-1 truncate font-medium">{type.name}</span>
        <span className="font-mono text-muted text-xs">v{type.revision}</span>
      </button>
      {open && <StoredData id={type.id} name={type.name} />}
    </li>
  );
}

function StoredData({ id, name }: { id: number; name: string }) {
  const { data, error, refetch } = useQuery(debugQuery(id));
  if (error !== null && data === undefined) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton className="m-3 w-1/2" />;
  return (
    <div className="flex flex-col gap-3 px-3 pb-3">
      <Json title="Type and revision" typeName={name} value={data.type} />
      <Json title="Stored schema" typeName={name} value={data.schemas} />
      <Json title="Last events" typeName={name} value={data.events} />
    </div>
  );
}

function Json({ title, typeName, value }: { title: string; typeName: string; value: unknown }) {
  const text = JSON.stringify(value, null, 2);

  const copy = () => copyText(text, 'Copied', (error) => notify.error(messageOf(error, 'The browser refused to copy')));

  return (
    <section aria-label={`${title} of ${typeName}`} className="rounded-md border border-hairline">
      <div className="flex items-center justify-between border-hairline border-b px-2">
        <h2 className="text-muted text-xs">{title}</h2>
        <Button
          variant="ghost"
          size="sm"
          aria-label={`Copy ${title.toLowerCase()} of ${typeName}`}
          onClick={() => void copy()}
        >
          <Copy />
          Copy
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: users must be able to scroll it by keyboard */}
      <pre tabIndex={0} className="max-h-80 overflow-auto p-2 font-mono text-xs">
        {text}
      </pre>
    </section>
  );
}
