/** Loads the palette when the user first opens it, and keeps the text that the user types while it is loading. */
import { lazy, Suspense, useState } from 'react';
import { COMMAND_DIALOG, COMMAND_INPUT, COMMAND_OVERLAY } from '../../../components/ui/command-style.ts';

const Palette = lazy(() => import('./palette.tsx'));

const LABEL = 'Search and commands';
const PLACEHOLDER = 'Search or go to…';

/** Focuses the input as soon as it is rendered, so that no pressed key is lost. */
const focus = (input: HTMLInputElement | null) => input?.focus();

export function PaletteLoader({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState('');
  const [opener] = useState(() => (document.activeElement instanceof HTMLElement ? document.activeElement : undefined));
  return (
    <Suspense
      fallback={
        <>
          <div className={COMMAND_OVERLAY} />
          <div role="dialog" aria-modal="true" aria-label={LABEL} data-zoomed className={COMMAND_DIALOG}>
            <input
              ref={focus}
              aria-label={LABEL}
              placeholder={PLACEHOLDER}
              value={query}
              onChange={(event) => setQuery(event.target.value)}
              onKeyDown={(event) => event.key === 'Escape' && onClose()}
              className={COMMAND_INPUT}
            />
          </div>
        </>
      }
    >
      <Palette
        label={LABEL}
        placeholder={PLACEHOLDER}
        query={query}
        onQuery={setQuery}
        opener={opener}
        onClose={onClose}
      />
    </Suspense>
  );
}
