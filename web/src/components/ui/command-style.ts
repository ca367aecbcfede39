/**
 * The styles of the command dialog, in their own file because they are needed while the code of the dialog is loading.
 */
import { cn } from './cn.ts';

export const COMMAND_OVERLAY = 'fixed inset-0 z-40 bg-[rgb(0_0_0/0.45)]';

export const COMMAND_DIALOG = cn(
  'fixed top-[12%] left-1/2 z-40 w-[90%] max-w-xl -translate-x-1/2 rounded-lg border border-control bg-raised text-ink',
  'max-md:top-3 max-md:w-[calc(100%-1.5rem)]',
);

export const COMMAND_INPUT =
  'h-12 w-full rounded-t-lg border-hairline border-b bg-transparent px-4 text-base focus-visible:outline-none';
