/** The header of a page: its title, description and main actions, the link back to its list, and a few figures. */
import { ChevronLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { formatNumber } from '../../lib/number-format.ts';
import { cn } from '../ui/cn.ts';

export interface PageHeaderProps {
  title: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
}

export function PageHeader({ title, description, actions }: PageHeaderProps) {
  return (
    <div className="mb-3 flex flex-wrap items-start gap-x-4 gap-y-2">
      <div className="min-w-0 flex-1 basis-64">
        <h1 className="wrap-anywhere font-semibold text-xl">{title}</h1>
        {description !== undefined && <p className="wrap-anywhere text-muted">{description}</p>}
      </div>
      {actions !== undefined && (
        <div data-screen-only className="flex flex-wrap gap-2">
          {actions}
        </div>
      )}
    </div>
  );
}

/**
 * The link from a page back to its list, above the page header. It is hidden on wide screens, where the header of the
 * application contains this link.
 */
export function BackLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link
      to={to}
      className="mb-1 inline-flex items-center gap-1 self-start text-muted text-sm hover:text-ink lg:hidden"
    >
      <ChevronLeft aria-hidden="true" className="size-4" />
      {children}
    </Link>
  );
}

export interface Figure {
  label: string;
  value: ReactNode;
  /** Explains the figure in a tooltip. */
  hint?: string;
}

const NUMBER_CLASSES = 'font-semibold tabular-nums';
const figureText = ({ value }: Figure) => (typeof value === 'number' ? formatNumber(value) : value);

/** A few figures in one line, for pages whose list needs the height. */
export function FigureLine({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className="mb-2 flex flex-wrap gap-x-5 gap-y-1">
      {figures.map((figure) => (
        <div key={figure.label} title={figure.hint} className="flex flex-row-reverse items-baseline gap-1.5">
          <dt className="text-muted">{figure.label}</dt>
          <dd className={NUMBER_CLASSES}>{figureText(figure)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A few figures at the top of a page. */
export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className="mb-4 flex flex-wrap self-start overflow-hidden rounded-md border border-hairline bg-surface">
      {figures.map((figure) => (
        <div
          key={figure.label}
          title={figure.hint}
          className="-mr-px -mb-px flex grow flex-col-reverse justify-end border-hairline border-r border-b px-4 py-2 max-sm:px-2 max-sm:py-1"
        >
          <dt className="text-muted text-xs">{figure.label}</dt>
          <dd className={cn('text-lg', NUMBER_CLASSES)}>{figureText(figure)}</dd>
        </div>
      ))}
    </dl>
  );
}
