/**
 * Shows the first records of the file with the current settings, and marks cells that do not match the type of their
 * field.
 */
import type { ImportDraft } from '@rdm/contracts/imports/drafts';
import { readCellValue } from '@rdm/contracts/imports/inference/read-cell-value';
import type { ResolvedColumn, ResolvedDraft } from '@rdm/contracts/imports/resolve-draft';
import { memo } from 'react';
import { cn } from '../../../components/ui/cn.ts';

const COLUMNS_SHOWN = 40;

/**
 * Why the text of a cell cannot be read as a value of its field; undefined if it can be read or the column is ignored.
 * Also accepts the default format, because number and date cells of a workbook always have it.
 */
export function misfitReason(text: string, { field, dataType, format }: ResolvedColumn): string | undefined {
  if (field === null) return undefined;
  const cell = readCellValue(text, dataType, format);
  if (cell.ok || readCellValue(text, dataType, { blank: 'empty' }).ok) return undefined;
  return cell.reason;
}

export const Preview = memo(function Preview({ draft, resolved }: { draft: ImportDraft; resolved: ResolvedDraft }) {
  const columns = resolved.columns.slice(0, COLUMNS_SHOWN);
  return (
    <div>
      <h3 className="mb-1 font-medium">
        First rows
        {resolved.columns.length > columns.length && (
          <span className="ml-2 font-normal text-muted text-xs">The first {columns.length} columns are shown.</span>
        )}
      </h3>
      <section
        aria-label="First rows"
        className="max-h-96 overflow-auto rounded-md border border-hairline"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: users must be able to scroll the table by keyboard
        tabIndex={0}
      >
        <table className="min-w-full border-separate border-spacing-0 text-sm">
          <thead className="sticky top-0">
            <tr>
              {columns.map(({ index, name, field, isKey }) => (
                <th
                  key={index}
                  scope="col"
                  className="max-w-64 truncate border-hairline border-b bg-canvas px-2 py-1 text-left font-medium text-xs"
                >
                  {name}
                  <span className={cn('block truncate font-normal', field === null ? 'text-muted' : 'text-accent')}>
                    {field === null ? 'ignored' : `→ ${field.name}${isKey ? ' (key)' : ''}`}
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {draft.preview.map(({ record, cells }) => (
              <tr key={record} className="last:*:border-b-0">
                {columns.map((column) => {
                  const text = cells[column.index] ?? '';
                  const reason = misfitReason(text, column);
                  return (
                    <td
                      key={column.index}
                      title={reason === undefined ? text : `${text}: ${reason}`}
                      className={cn(
                        'max-w-64 truncate whitespace-pre border-hairline border-b px-2 py-1 font-mono',
                        column.field === null && 'text-muted',
                        reason !== undefined && 'bg-danger-soft text-danger-text',
                      )}
                    >
                      {text}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
});
