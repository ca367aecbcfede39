/** A tooltip. It appears after 700 ms, in the sidebar without a delay (specification §9). */
import { TOOLTIP_DELAY_MS, TOOLTIP_SKIP_DELAY_MS } from '@rdm/contracts/constants';
import { Tooltip as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

export function TooltipProvider({ children, delay = TOOLTIP_DELAY_MS }: { children: ReactNode; delay?: number }) {
  return (
    <Radix.Provider delayDuration={delay} skipDelayDuration={TOOLTIP_SKIP_DELAY_MS}>
      {children}
    </Radix.Provider>
  );
}

export interface TooltipProps {
  content: ReactNode;
  side?: 'top' | 'right' | 'bottom' | 'left';
  children: ReactNode;
}

export function Tooltip({ content, side = 'top', children }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          data-zoomed
          side={side}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-w-80 rounded-md bg-ink px-2 py-1 text-surface text-xs animate-appear"
        >
          {content}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
