/** Dropdown menus. */
import { Check } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import type { ComponentProps, ReactNode } from 'react';
import { cn } from './cn.ts';
import { menuClasses, menuItemClasses } from './menu-classes.ts';

export interface MenuProps {
  trigger: ReactNode;
  children: ReactNode;
  align?: 'start' | 'end';
  className?: string;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  /** Returns the element that gets the focus when the menu closes; the trigger gets the focus by default. */
  returnFocus?: () => HTMLElement | null | undefined;
}

export function Menu({ trigger, children, align = 'end', className, open, onOpenChange, returnFocus }: MenuProps) {
  return (
    <Radix.Root
      modal={false}
      {...(open === undefined ? {} : { open })}
      {...(onOpenChange === undefined ? {} : { onOpenChange })}
    >
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          data-zoomed
          align={align}
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={(event) => {
            const element = returnFocus?.();
            if (element === null || element === undefined) return;
            event.preventDefault();
            element.focus();
          }}
          className={cn(menuClasses, 'min-w-44', className)}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export function MenuItem({ className, ...props }: ComponentProps<typeof Radix.Item>) {
  return <Radix.Item className={cn(menuItemClasses, className)} {...props} />;
}

export interface MenuChoiceProps<Value extends string> {
  label: string;
  value: Value;
  onValueChange: (value: Value) => void;
  options: readonly { value: Value; label: ReactNode }[];
}

export function MenuChoice<Value extends string>({ label, value, onValueChange, options }: MenuChoiceProps<Value>) {
  return (
    <Radix.RadioGroup value={value} onValueChange={onValueChange as (value: string) => void} aria-label={label}>
      {options.map((option) => (
        <Radix.RadioItem key={option.value} value={option.value} className={cn(menuItemClasses, 'pl-8')}>
          <Radix.ItemIndicator className="absolute left-2">
            <Check className="size-4" />
          </Radix.ItemIndicator>
          {option.label}
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}

export function MenuLabel({ className, ...props }: ComponentProps<typeof Radix.Label>) {
  return <Radix.Label className={cn('px-2 py-1.5 text-muted text-xs', className)} {...props} />;
}

export function MenuSeparator() {
  return <Radix.Separator className="-mx-1 my-1 h-px bg-hairline" />;
}
