/** Empty and error states: a title, a description and the next action. */
import { CircleAlert, type LucideIcon, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';

export interface EmptyStateProps {
  icon?: LucideIcon;
  title: string;
  description?: ReactNode;
  action?: ReactNode;
}

export function EmptyState({ icon: Icon = SearchX, title, description, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center justify-center gap-2 px-4 py-12 text-center">
      <Icon aria-hidden="true" className="size-8 text-control" strokeWidth={1.5} />
      <p className="font-medium text-base">{title}</p>
      {description !== undefined && <p className="max-w-prose text-muted text-sm">{description}</p>}
      {action !== undefined && action !== false && <div className="mt-2">{action}</div>}
    </div>
  );
}

/** Loading failed: the message of §8 and Try Again, or other actions where retrying does not help. */
export function ErrorState({
  title = 'This could not be loaded',
  message,
  onRetry,
  actions,
}: {
  title?: string;
  message: string;
} & ({ onRetry: () => void; actions?: ReactNode } | { onRetry?: undefined; actions: ReactNode })) {
  return (
    <div role="alert">
      <EmptyState
        icon={CircleAlert}
        title={title}
        description={message}
        action={
          actions === undefined ? (
            <Button variant="primary" onClick={onRetry}>
              Try Again
            </Button>
          ) : (
            <span className="flex flex-wrap justify-center gap-2">{actions}</span>
          )
        }
      />
    </div>
  );
}
