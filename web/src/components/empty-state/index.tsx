/** Empty and error states: a title, a description and the next action. */
import { CircleAlert, Lock, type LucideIcon, SearchX, ServerCrash, WifiOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '../../lib/api/index.ts';
import { messageOf } from '../../lib/messages/index.ts';
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

function iconOf(error: unknown): LucideIcon {
  if (!(error instanceof ApiError)) return CircleAlert;
  if (error.status === 0) return WifiOff;
  if (error.status === 403) return Lock;
  return error.status >= 500 ? ServerCrash : CircleAlert;
}

/** The id under which the error log for administrators lists a failure of the server. */
const failedRequestId = (error: unknown): string | undefined =>
  error instanceof ApiError && error.status >= 500 ? error.requestId : undefined;

/** Shows why loading failed (specification §8), with Try Again or the given actions. */
export function ErrorState({
  title = 'This could not be loaded',
  error,
  onRetry,
  actions,
}: {
  title?: string;
  error: unknown;
} & ({ onRetry: () => void; actions?: ReactNode } | { onRetry?: undefined; actions: ReactNode })) {
  const requestId = failedRequestId(error);
  return (
    <div role="alert">
      <EmptyState
        icon={iconOf(error)}
        title={title}
        description={
          <>
            {messageOf(error)}
            {requestId !== undefined && (
              <span className="block">
                Request <span className="font-mono">{requestId}</span>
              </span>
            )}
          </>
        }
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
