/** The footer of a list: the displayed range and the total, the page, and the page size. */
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '@rdm/contracts/constants';
import type { Total } from '@rdm/contracts/lists/filter';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { memo } from 'react';
import { formatNumber, totalText } from '../../lib/number-format.ts';
import type { ListState } from '../../lib/url-state/list-state.ts';
import { Button } from '../ui/button.tsx';
import { Input } from '../ui/input.tsx';
import { Select } from '../ui/select.tsx';

const SIZES = [25, PAGE_SIZE_DEFAULT, 100, 250, PAGE_SIZE_MAX];

export interface PagerProps {
  state: ListState;
  total: Total;
  /** The number of rows in the current page. */
  shownCount: number;
  /** Scrolls to a row by its index; undefined if the list cannot scroll beyond its current page. */
  goToRow?: ((index: number) => void) | undefined;
  hint?: string | undefined;
}

export const Pager = memo(function Pager({ state, total, shownCount, goToRow, hint }: PagerProps) {
  const { page, pageSize } = state.params;
  const first = (page - 1) * pageSize + 1;
  const last = first + shownCount - 1;
  const pages = typeof total === 'number' ? Math.max(1, Math.ceil(total / pageSize)) : undefined;
  const sizes = [...new Set([...SIZES, pageSize])].sort((a, b) => a - b);
  return (
    <nav
      aria-label="Pages"
      data-screen-only
      className="flex flex-wrap items-center gap-x-4 gap-y-2 border-hairline border-t px-2 py-1.5 text-muted text-sm"
    >
      <p aria-live="polite">
        {shownCount === 0
          ? `0 of ${totalText(total)}`
          : `${formatNumber(first)}–${formatNumber(last)} of ${totalText(total)}`}
      </p>
      {goToRow !== undefined && <Jump label="Go to row" onJump={(row) => goToRow(row - 1)} />}
      {hint !== undefined && <p className="touch:hidden min-w-0 text-xs max-lg:hidden">{hint}</p>}
      <div className="ml-auto flex items-center gap-2">
        <span className={hint === undefined ? 'max-sm:sr-only' : 'max-2xl:sr-only'}>Rows per page</span>
        <Select
          aria-label="Rows per page"
          className="h-7 w-20"
          value={String(pageSize)}
          onValueChange={(size) => state.setPageSize(Number(size))}
          options={sizes.map((size) => ({ value: String(size), label: formatNumber(size) }))}
        />
      </div>
      <div className="flex items-center gap-1">
        <Button
          variant="ghost"
          size="icon-sm"
          aria-label="Previous page"
          disabled={page <= 1}
          onClick={() => state.setPage(page - 1)}
        >
          <ChevronLeft />
        </Button>
        <span>
          {formatNumber(page)}
          {pages !== undefined && ` / ${formatNumber(pages)}`}
        </span>
        <Button
          variant="ghost"
          size="icon-sm"
          aria-label="Next page"
          disabled={pages === undefined ? shownCount < pageSize : page >= pages}
          onClick={() => state.setPage(page + 1)}
        >
          <ChevronRight />
        </Button>
      </div>
    </nav>
  );
});

/** A field for the number of a row. Enter scrolls to that row. */
function Jump({ label, onJump }: { label: string; onJump: (to: number) => void }) {
  return (
    <form
      className="flex items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        const to = Number(String(new FormData(event.currentTarget).get('to')).replaceAll(/[,. ]/g, ''));
        if (Number.isInteger(to) && to >= 1) onJump(to);
      }}
    >
      <Input name="to" inputMode="numeric" aria-label={label} placeholder={label} className="h-7 w-28" />
    </form>
  );
}
