/** Tabs with optional counts. */
import { Tabs as Radix } from 'radix-ui';
import { type ReactNode, useEffect, useRef } from 'react';
import { cn } from './cn.ts';

export interface TabsProps<Value extends string> {
  label: string;
  value: Value;
  onValueChange: (value: Value) => void;
  tabs: readonly { value: Value; label: ReactNode; count?: ReactNode }[];
  /** The panel of the active tab. */
  children: ReactNode;
  className?: string;
}

export function Tabs<Value extends string>({
  label,
  value,
  onValueChange,
  tabs,
  children,
  className,
}: TabsProps<Value>) {
  const list = useRef<HTMLDivElement>(null);
  // Scrolls to the active tab, which may be outside the visible part of a narrow screen.
  useEffect(() => {
    const row = list.current;
    const activeTab = row?.querySelector<HTMLElement>(`[data-state="active"]`);
    if (!row || !activeTab || row.scrollWidth <= row.clientWidth) return;
    const [rowRect, tabRect] = [row.getBoundingClientRect(), activeTab.getBoundingClientRect()];
    row.scrollLeft += tabRect.left - rowRect.left - (row.clientWidth - tabRect.width) / 2;
  }, [value]);
  // Radix reports both the press and the focus of a tab if the router has not followed the new URL yet. A second report
  // would add a second entry to the history of the browser.
  const reported = useRef<string>(undefined);
  const report = (next: string) => {
    if (reported.current === next) return;
    reported.current = next;
    setTimeout(() => {
      reported.current = undefined;
    });
    onValueChange(next as Value);
  };
  return (
    <Radix.Root value={value} onValueChange={report} className={cn('flex min-h-0 flex-col', className)}>
      <Radix.List
        ref={list}
        aria-label={label}
        className="flex shrink-0 gap-1 overflow-x-auto overflow-y-hidden border-hairline border-b"
      >
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className="-mb-px shrink-0 border-transparent border-b-2 px-2.5 py-2 text-muted text-sm hover:text-ink focus-visible:-outline-offset-2 data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-ink"
          >
            {tab.label}
            {tab.count !== undefined && (
              <>
                {/* The space separates word and number for screen readers. */}{' '}
                <span className="ml-0.5 rounded-sm bg-hover px-1.5 text-xs">{tab.count}</span>
              </>
            )}
          </Radix.Trigger>
        ))}
      </Radix.List>
      <Radix.Content value={value} className="flex min-h-0 flex-1 flex-col pt-3" tabIndex={-1}>
        {children}
      </Radix.Content>
    </Radix.Root>
  );
}
