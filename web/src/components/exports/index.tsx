/** What a list is exported as: items of a menu, and how the files that the server answers are saved. */
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

/** A spreadsheet is written as a whole, and refused where it would be too large; the others are streams. */
export function exportAs(format: ExportFormat, url: string): void {
  if (format === 'xlsx') void saveWholeFile(url);
  else void saveFile(url);
}

/** A link to a file that says why it is refused. */
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

/** One item per format under a label that says what is in the file. */
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
    </>
  );
}
