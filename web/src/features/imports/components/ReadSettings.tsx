/** The settings for reading the file: sheet, header row, first and last row, delimiter and encoding. */
import type { ImportDraft } from '@rdm/contracts/imports/drafts';
import type { ReadOptions } from '@rdm/contracts/imports/file-profile';
import { Field, Input } from '../../../components/ui/input.tsx';
import { Select } from '../../../components/ui/select.tsx';
import type { ChangeOfDraft } from './use-draft.ts';

const DELIMITERS = [
  { value: ',', label: 'Comma ,' },
  { value: ';', label: 'Semicolon ;' },
  { value: '\t', label: 'Tab' },
  { value: '|', label: 'Vertical bar |' },
  { value: ':', label: 'Colon :' },
];
const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'shift_jis',
  'gb18030',
];
const NO_HEADER = '0';
const HEADER_ROWS = 20;

/** The field for the sheet of a workbook that has several sheets. */
export function SheetChoice({ draft, change }: { draft: ImportDraft; change: ChangeOfDraft }) {
  const { read, sheets, state } = draft;
  if (sheets.length < 2) return null;
  return (
    <Field label="Sheet">
      {(control) => (
        <Select
          {...control}
          disabled={state === 'READING'}
          value={read.sheet}
          // Drops the other read options, which belong to the previous sheet.
          onValueChange={(sheet) => void change({ read: { sheet } })}
          options={sheets.map(({ name, isHidden }) => ({ value: name, label: isHidden ? `${name} (hidden)` : name }))}
        />
      )}
    </Field>
  );
}

export function ReadSettings({ draft, change }: { draft: ImportDraft; change: ChangeOfDraft }) {
  const { read, format } = draft;
  const isReading = draft.state === 'READING';
  const changeOption = (option: Partial<ReadOptions>) => void change({ read: { ...draft.settings.read, ...option } });
  const encoding = read.encoding ?? 'utf-8';
  const delimiter = read.delimiter ?? ',';
  if (format === null || format === 'json' || format === 'ndjson' || format === 'parquet') return null;
  return (
    <details className="rounded-md border border-hairline bg-canvas">
      <summary className="cursor-pointer px-3 py-2 font-medium">Read options</summary>
      <div className="flex flex-col gap-3 px-3 pb-3">
        {format === 'text' && (
          <>
            <Field label="Delimiter">
              {(control) => (
                <Select
                  {...control}
                  disabled={isReading}
                  value={delimiter}
                  onValueChange={(value) => changeOption({ delimiter: value })}
                  options={
                    DELIMITERS.some(({ value }) => value === delimiter)
                      ? DELIMITERS
                      : [...DELIMITERS, { value: delimiter, label: delimiter }]
                  }
                />
              )}
            </Field>
            <Field label="Encoding">
              {(control) => (
                <Select
                  {...control}
                  disabled={isReading}
                  value={encoding}
                  onValueChange={(value) => changeOption({ encoding: value })}
                  options={[...new Set([...ENCODINGS, encoding])].map((value) => ({ value, label: value }))}
                />
              )}
            </Field>
          </>
        )}
        <Field label="Row that names the columns">
          {(control) => (
            <Select
              {...control}
              disabled={isReading}
              value={String(read.headerRow ?? 1)}
              onValueChange={(value) => changeOption({ headerRow: Number(value) })}
              options={[
                { value: NO_HEADER, label: 'None: the first row has values' },
                ...Array.from({ length: Math.max(HEADER_ROWS, read.headerRow ?? 1) }, (_, index) => ({
                  value: String(index + 1),
                  label: `Row ${index + 1}`,
                })),
              ]}
            />
          )}
        </Field>
        <RecordField
          label="First row to read"
          value={read.firstRecord}
          onSave={(firstRecord) => changeOption({ firstRecord })}
        />
        <RecordField
          label="Last row to read"
          value={read.lastRecord}
          onSave={(lastRecord) => changeOption({ lastRecord })}
        />
      </div>
    </details>
  );
}

function RecordField({
  label,
  value,
  onSave,
}: {
  label: string;
  value: number | undefined;
  onSave: (value: number) => void;
}) {
  return (
    <Field label={label}>
      {(control) => (
        <Input
          {...control}
          type="number"
          min={1}
          defaultValue={value}
          key={value}
          onBlur={({ target: { valueAsNumber: record } }) => {
            if (Number.isInteger(record) && record >= 1 && record !== value) onSave(record);
          }}
        />
      )}
    </Field>
  );
}
