/** The button, in its variants and sizes. A view has at most one primary button besides that of an empty state. */
import { Slot } from 'radix-ui';
import type { ComponentProps } from 'react';
import { cn } from './cn.ts';

const VARIANTS = {
  primary: 'bg-accent text-accent-ink border-accent hover:bg-accent/90 font-medium',
  secondary: 'bg-surface text-ink border-control hover:bg-hover',
  danger: 'bg-danger text-surface border-danger hover:bg-danger/90 font-medium',
  ghost: 'border-transparent text-ink hover:bg-hover',
} as const;

const SIZES = {
  md: 'h-8 px-3',
  sm: 'h-7 px-2',
  icon: 'size-8 justify-center',
  'icon-sm': 'size-7 justify-center',
} as const;

export interface ButtonProps extends ComponentProps<'button'> {
  variant?: keyof typeof VARIANTS;
  size?: keyof typeof SIZES;
  /** Renders its only child, such as a link, with the styles of the button. */
  asChild?: boolean;
}

export function Button({
  variant = 'secondary',
  size = 'md',
  asChild = false,
  className,
  type,
  ...props
}: ButtonProps) {
  const Element = asChild ? Slot.Root : 'button';
  return (
    <Element
      {...(asChild ? {} : { type: type ?? 'button' })}
      className={cn(
        'inline-flex shrink-0 select-none items-center justify-center gap-1.5 whitespace-nowrap rounded-md border text-sm [&_svg]:size-4 [&_svg]:shrink-0',
        'disabled:cursor-not-allowed disabled:opacity-50 aria-disabled:cursor-not-allowed aria-disabled:opacity-50',
        VARIANTS[variant],
        SIZES[size],
        className,
      )}
      {...props}
    />
  );
}
