/** A message in the page: an error of a form, a warning before a decision, the result of a check. */
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from './cn.ts';

const TONES = {
  error: { icon: CircleAlert, classes: 'border-danger bg-danger-soft text-danger-text', role: 'alert' },
  warning: { icon: TriangleAlert, classes: 'border-pending bg-pending-fill text-pending-text', role: 'note' },
  success: { icon: CircleCheck, classes: 'border-approved bg-approved-fill text-approved-text', role: 'note' },
  info: { icon: Info, classes: 'border-hairline bg-hover text-ink', role: 'note' },
} as const;

export function Alert({
  tone,
  title,
  children,
  className,
}: {
  tone: keyof typeof TONES;
  title?: ReactNode;
  children?: ReactNode;
  className?: string;
}) {
  const { icon: Icon, classes, role } = TONES[tone];
  return (
    <div role={role} className={cn('flex gap-2 rounded-md border px-3 py-2 text-sm', classes, className)}>
      <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      {/* A code that fits on one line is not wrapped, for example at a hyphen. */}
      <div className="min-w-0 break-words [&_.font-mono]:inline-block [&_.font-mono]:max-w-full">
        {title !== undefined && <p className="font-medium">{title}</p>}
        {children}
      </div>
    </div>
  );
}
