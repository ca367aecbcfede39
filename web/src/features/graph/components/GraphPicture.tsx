/** The frame of the picture: it loads what draws when it is first needed, and says that a table tells the same. */
import { lazy, Suspense } from 'react';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import type { GraphCanvasProps } from './GraphCanvas.tsx';

const GraphCanvas = lazy(() => import('./GraphCanvas.tsx'));

export function GraphPicture(props: GraphCanvasProps) {
  return (
    <section
      aria-label="Picture of the graph; the tables below tell the same"
      className="h-[55vh] min-h-72 shrink-0 overflow-hidden rounded-md border border-hairline bg-canvas"
    >
      <Suspense fallback={<Skeleton className="m-4 w-1/3" />}>
        <GraphCanvas {...props} />
      </Suspense>
    </section>
  );
}
