/** The frame of the picture: loads the canvas on demand, and refers to the tables with the same content. */
import { lazy, Suspense } from 'react';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import type { GraphCanvasProps } from './GraphCanvas.tsx';

const GraphCanvas = lazy(() => import('./GraphCanvas.tsx'));

export function GraphPicture(props: GraphCanvasProps) {
  return (
    <section
      aria-label="Picture of the graph, with the same content as the tables below"
      className="h-[55vh] min-h-72 shrink-0 overflow-hidden rounded-md border border-hairline bg-canvas"
    >
      <Suspense fallback={<Skeleton className="m-4 w-1/3" />}>
        <GraphCanvas {...props} />
      </Suspense>
    </section>
  );
}
