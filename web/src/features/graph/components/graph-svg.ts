/** Writes the picture of a graph as an SVG of plain shapes and texts, which every drawing program can open. */
import { type Layout, type Line, NODE_HEIGHT, NODE_WIDTH, type Picture } from './picture.ts';

/** The exported file has the colours of the light theme, because it is mostly printed or put into documents. */
const INK = '#16191d';
const MUTED = '#586069';
const BORDER = '#868e96';
const ACCENT = '#0b5a6b';
const FONT = "'IBM Plex Sans', system-ui, sans-serif";

const MARGIN = 24;
const LINE_HEIGHT = 18;
const NAME_SIZE = 13;
const DETAIL_SIZE = 12;
/** The average width of a character, as a share of the font size. */
const CHARACTER_WIDTH = 0.56;
/** Maximum number of lines of a label, a name or a detail. */
const LINES_MAX = 2;

const escapeText = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

/** Breaks a text into at most two lines of about this width; a longer text is cut and ends with an ellipsis. */
export function wrapText(text: string, width: number, fontSize: number): string[] {
  const charactersMax = Math.max(4, Math.floor(width / (fontSize * CHARACTER_WIDTH)));
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= charactersMax)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  const keptLines = lines
    .slice(0, LINES_MAX)
    .map((line) => (line.length > charactersMax ? `${line.slice(0, charactersMax - 1)}…` : line));
  if (lines.length > LINES_MAX) keptLines[LINES_MAX - 1] = `${keptLines[LINES_MAX - 1]?.slice(0, charactersMax - 1)}…`;
  return keptLines;
}

function textAt(x: number, y: number, lines: readonly string[], attributes: string): string {
  const spans = lines.map(
    (line, index) => `<tspan x="${x}" y="${y + index * LINE_HEIGHT}">${escapeText(line)}</tspan>`,
  );
  return `<text ${attributes}>${spans.join('')}</text>`;
}

/** Returns the SVG document of a picture, with the width and height in pixels. */
export function svgOf(
  picture: Picture,
  lines: readonly Line[],
  { positions, edgePaths, labelOf }: Layout,
): { svg: string; width: number; height: number } {
  const corners = [...positions.values()];
  const labels = lines.flatMap((line) => {
    const edgePath = edgePaths.get(line.id);
    return edgePath === undefined ? [] : [{ line, edgePath, box: labelOf(edgePath) }];
  });
  const left = Math.min(...corners.map(({ x }) => x), ...labels.map(({ box }) => box.x)) - MARGIN;
  const top = Math.min(...corners.map(({ y }) => y), ...labels.map(({ box }) => box.y)) - MARGIN;
  const right = Math.max(...corners.map(({ x }) => x + NODE_WIDTH), ...labels.map(({ box }) => box.x + box.width));
  const bottom = Math.max(...corners.map(({ y }) => y + NODE_HEIGHT), ...labels.map(({ box }) => box.y + box.height));
  const [width, height] = [Math.ceil(right - left + MARGIN), Math.ceil(bottom - top + MARGIN)];

  const drawnLines = labels.map(({ line, edgePath, box }) => {
    const dash = line.isDashed ? ' stroke-dasharray="5 4"' : '';
    const path = `<path d="${edgePath.path}" fill="none" stroke="${BORDER}" stroke-width="1.5"${dash} marker-end="url(#arrow)"/>`;
    const labelLines = wrapText(line.label, box.width, DETAIL_SIZE);
    // The layout runs to the right (LR), so each label is above or below its edge.
    const firstY =
      box.lineAt === 'top' ? box.y + DETAIL_SIZE : box.y + box.height - 4 - (labelLines.length - 1) * LINE_HEIGHT;
    return path + textAt(box.x + box.width / 2, firstY, labelLines, `font-size="${DETAIL_SIZE}" text-anchor="middle"`);
  });
  const drawnNodes = picture.nodes.map((node) => {
    const { x, y } = positions.get(node.id) ?? { x: 0, y: 0 };
    const border = node.isRoot ? `stroke="${ACCENT}" stroke-width="2"` : `stroke="${BORDER}"`;
    const name = wrapText(node.name, NODE_WIDTH - 24, NAME_SIZE);
    const detail = wrapText(node.detail, NODE_WIDTH - 24, DETAIL_SIZE);
    const firstY = y + (NODE_HEIGHT - (name.length + detail.length) * LINE_HEIGHT) / 2 + 13;
    return [
      `<rect x="${x}" y="${y}" width="${NODE_WIDTH}" height="${NODE_HEIGHT}" rx="4" fill="#ffffff" ${border}/>`,
      textAt(x + 12, firstY, name, `font-size="${NAME_SIZE}" font-weight="500" fill="${ACCENT}"`),
      textAt(x + 12, firstY + name.length * LINE_HEIGHT, detail, `font-size="${DETAIL_SIZE}" fill="${MUTED}"`),
    ].join('');
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${left} ${top} ${width} ${height}" width="${width}" height="${height}" font-family="${FONT}" fill="${INK}">
<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto"><path d="M 0 0 L 10 5 L 0 10 z" fill="${BORDER}"/></marker></defs>
<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="#ffffff"/>
${drawnLines.join('\n')}
${drawnNodes.join('\n')}
</svg>
`;
  return { svg, width, height };
}

/** Pixels of the PNG per pixel of the drawing. */
const PNG_SCALE = 2;
/** The longest side of a canvas that browsers can draw. */
const PNG_SIDE_MAX = 16_384;

/** Draws the document as a PNG. */
export async function pngOf({ svg, width, height }: ReturnType<typeof svgOf>): Promise<Blob> {
  const scale = Math.min(PNG_SCALE, PNG_SIDE_MAX / Math.max(width, height));
  const image = new Image(width * scale, height * scale);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error('The picture is too large for a PNG')) : resolve(blob)));
  });
}
