/** The frame of the sign-in pages: the name of the application, a description, and the form. */
import type { ReactNode } from 'react';
import { LogoMark } from '../../../components/logo/index.tsx';
import { cn } from '../../../components/ui/cn.ts';

export function SignInLayout({ lead, wide = false, children }: { lead: string; wide?: boolean; children: ReactNode }) {
  return (
    <main className="flex min-h-full items-center justify-center p-4">
      <div className={cn('w-full rounded-lg border border-hairline bg-surface p-6', wide ? 'max-w-2xl' : 'max-w-sm')}>
        <LogoMark className="size-10" />
        <h1 className="mt-4 font-semibold text-xl">Reference Data Management</h1>
        <p className="mb-6 text-muted">{lead}</p>
        {children}
      </div>
    </main>
  );
}
