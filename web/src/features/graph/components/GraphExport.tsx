/** Saves the picture of a graph as SVG or PNG. */
import { Download } from 'lucide-react';
import { withErrorReport } from '../../../components/exports/save-file.ts';
import { Button } from '../../../components/ui/button.tsx';
import { Menu, MenuItem } from '../../../components/ui/dropdown-menu.tsx';
import { saveBlob } from '../../../lib/save-blob/index.ts';
import type { Picture } from './picture.ts';

export function GraphExport({ picture, name }: { picture: Picture; name: string }) {
  const save = (format: 'svg' | 'png') =>
    withErrorReport(async () => {
      const [{ layoutGraph, linesOf }, { svgOf, pngOf }] = await Promise.all([
        import('./picture.ts'),
        import('./graph-svg.ts'),
      ]);
      const lines = linesOf(picture.edges);
      const drawing = svgOf(picture, lines, layoutGraph(picture.nodes, lines, 'LR'));
      const content = format === 'svg' ? new Blob([drawing.svg], { type: 'image/svg+xml' }) : await pngOf(drawing);
      saveBlob(content, `${name}.${format}`);
    });
  return (
    <Menu
      trigger={
        <Button>
          <Download />
          Export
        </Button>
      }
    >
      <MenuItem onSelect={() => void save('svg')}>SVG, to edit</MenuItem>
      <MenuItem onSelect={() => void save('png')}>PNG, as a picture</MenuItem>
    </Menu>
  );
}
