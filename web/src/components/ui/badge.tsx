/** A short label: a data type, a role, a count. */
import type { ComponentProps } from 'react';
import { cn } from './cn.ts';

const TONES = {
  neutral: 'border-hairline bg-hover text-ink',
  accent: 'border-accent/40 bg-accent-soft text-ink',
  outline: 'border-hairline bg-transparent text-muted',
} as const;

export function Badge({
  tone = 'neutral',
  className,
  ...props
}: ComponentProps<'span'> & { tone?: keyof typeof TONES }) {
  return (
    <span
      className={cn(
        'inline-flex max-w-full items-center gap-1 rounded-sm border px-1.5 text-xs leading-[18px]',
        TONES[tone],
        className,
      )}
      {...props}
    />
  );
}
