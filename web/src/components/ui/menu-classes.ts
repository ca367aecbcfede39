/** The styles that menus and selects share. */
export const menuClasses =
  'z-50 max-w-[90vw] overflow-auto rounded-md border border-control bg-raised p-1 text-ink text-sm animate-appear';

export const menuItemClasses =
  'relative flex cursor-pointer select-none items-center gap-2 rounded-sm px-2 py-1.5 outline-none data-highlighted:bg-accent-soft data-disabled:cursor-not-allowed data-disabled:text-muted [&>svg]:size-4 [&>svg]:shrink-0';
