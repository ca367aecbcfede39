/** The export formats of a list as menu items, and the download of the files. */
import { FileJson, FileSpreadsheet, FileText } from 'lucide-react';
import type { ComponentProps, MouseEvent } from 'react';
import { MenuItem, MenuLabel } from '../ui/dropdown-menu.tsx';
import { saveFile, saveWholeFile } from './save-file.ts';

const FORMATS = [
  { format: 'csv', label: 'CSV', icon: FileText },
  { format: 'xlsx', label: 'Excel (XLSX)', icon: FileSpreadsheet },
  { format: 'json', label: 'JSON', icon: FileJson },
] as const;

export type ExportFormat = (typeof FORMATS)[number]['format'];

/**
 * Downloads the list. The server creates a spreadsheet as a whole and refuses one that is too large. CSV and JSON are
 * streamed.
 */
export function exportAs(format: ExportFormat, url: string): void {
  if (format === 'xlsx') void saveWholeFile(url);
  else void saveFile(url);
}

/** A link that downloads a file, or shows the error if the server refuses the download. */
export function FileLink({ href, children, ...props }: Omit<ComponentProps<'a'>, 'href'> & { href: string }) {
  function download(event: MouseEvent<HTMLAnchorElement>) {
    props.onClick?.(event);
    event.preventDefault();
    void saveFile(href);
  }
  return (
    <a {...props} href={href} download onClick={download}>
      {children}
    </a>
  );
}

/** Menu items for the formats and for CSV with a byte order mark, under `label`. */
export function ExportFormats({ label, urlOf }: { label: string; urlOf: (format: ExportFormat) => string }) {
  return (
    <>
      <MenuLabel>{label}</MenuLabel>
      {FORMATS.map(({ format, label: name, icon: Icon }) => (
        <MenuItem key={format} onSelect={() => exportAs(format, urlOf(format))}>
          <Icon />
          {name}
        </MenuItem>
      ))}
      <MenuItem onSelect={() => exportAs('csv', `${urlOf('csv')}&bom=true`)}>
        <FileText />
        CSV for Excel
      </MenuItem>
    </>
  );
}
