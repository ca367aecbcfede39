/**
 * The columns of the file, each with a field, a data type and a format. For a new type, users also choose the key and
 * the label.
 */
import type { ColumnFormat } from '@rdm/contracts/imports/column-formats';
import type { ColumnSetting, ImportDraft } from '@rdm/contracts/imports/drafts';
import type { ColumnProfile } from '@rdm/contracts/imports/file-profile';
import {
  type ResolvedColumn,
  type ResolvedDraft,
  readingAs,
  type TargetFields,
} from '@rdm/contracts/imports/resolve-draft';
import { DATA_TYPES } from '@rdm/contracts/text/rows';
import { KeyRound, Tag } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../components/ui/button.tsx';
import { cn } from '../../../components/ui/cn.ts';
import { Input } from '../../../components/ui/input.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { formatNumber } from '../../../lib/number-format.ts';
import type { ChangeOfDraft } from './use-draft.ts';

/** The number of columns shown at first: a file can have a thousand. */
const SHOWN_COLUMNS = 20;

const ROW =
  'grid items-center gap-x-3 gap-y-1 px-3 py-1.5 sm:grid-cols-[minmax(0,1fr)_minmax(0,11rem)] xl:grid-cols-[minmax(0,1fr)_11rem_7.5rem_9.5rem_4.5rem]';

export interface ColumnListProps {
  draft: ImportDraft;
  resolved: ResolvedDraft;
  /** The fields of the target's type; undefined for a new type. */
  targetFields: TargetFields | undefined;
  change: ChangeOfDraft;
}

export function ColumnList({ draft, resolved, targetFields, change }: ColumnListProps) {
  const [shownCount, setShownCount] = useState(SHOWN_COLUMNS);
  const { columns } = resolved;
  const keyNames = columns.filter(({ isKey }) => isKey).map(({ name }) => name);
  const changeColumn = (index: number, setting: ColumnSetting) =>
    void change({ columns: { [index]: { ...draft.settings.columns?.[index], ...setting } } });

  function toggleKey({ index, isKey }: ResolvedColumn) {
    const key = columns
      .filter((column) => (column.index === index ? !isKey : column.isKey))
      .map((column) => column.index);
    void change({ key: key.length === 0 ? null : key });
  }

  return (
    <section aria-labelledby="columns">
      <h3 id="columns" className="mb-1 font-medium">
        Columns
      </h3>
      <div
        aria-hidden="true"
        className={cn(
          ROW,
          'rounded-t-md border border-hairline border-b-0 bg-canvas font-medium text-muted text-xs max-xl:hidden',
        )}
      >
        <span>Column</span>
        <span>Field</span>
        <span>Data type</span>
        <span>Format</span>
        <span>{targetFields ? 'Key' : 'Key, label'}</span>
      </div>
      <ul className="divide-y divide-hairline rounded-md border border-hairline xl:rounded-t-none">
        {columns.slice(0, shownCount).map((column) => (
          <ColumnRow
            key={column.index}
            column={column}
            draft={draft}
            targetFields={targetFields}
            onSetting={(setting) => changeColumn(column.index, setting)}
            onKey={targetFields ? undefined : () => toggleKey(column)}
            onLabel={targetFields ? undefined : () => void change({ label: column.isLabel ? null : column.index })}
          />
        ))}
      </ul>
      {!targetFields && keyNames.length > 1 && (
        <p role="status" className="mt-2 text-muted text-sm">
          {new Intl.ListFormat('en').format(keyNames)} identify a row together. If one column is enough, switch off the
          key of the other columns.
        </p>
      )}
      {columns.length > shownCount && (
        <Button className="mt-2" onClick={() => setShownCount(columns.length)}>
          Show all {formatNumber(columns.length)} columns
        </Button>
      )}
    </section>
  );
}

interface ColumnRowProps {
  column: ResolvedColumn;
  draft: ImportDraft;
  targetFields: TargetFields | undefined;
  onSetting: (setting: ColumnSetting) => void;
  /** Toggles the column in the key; undefined for an existing type, whose key is fixed. */
  onKey: (() => void) | undefined;
  onLabel: (() => void) | undefined;
}

function ColumnRow({ column, draft, targetFields, onSetting, onKey, onLabel }: ColumnRowProps) {
  const { index, name, field, dataType, isKey, isLabel } = column;
  const profile = draft.profiles[index];
  const isIgnored = field === null;
  const misfitCount = misfitCountOf(profile, column);
  return (
    <li className={ROW}>
      <div className={cn('min-w-0', isIgnored && 'text-muted')}>
        <p className="truncate font-medium" title={name}>
          {name}
        </p>
        {profile === undefined || profile.samples.length === 0 ? (
          <p className="text-muted text-xs">No values</p>
        ) : (
          <p className="truncate whitespace-pre font-mono text-muted text-xs" title={profile.reason}>
            {profile.samples.slice(0, 3).join('   ')}
          </p>
        )}
        {!isIgnored && misfitCount > 0 && (
          <p className="text-pending-text text-xs">
            {formatNumber(misfitCount)} {misfitCount === 1 ? 'value does' : 'values do'} not match the type
          </p>
        )}
      </div>
      {targetFields ? (
        <ExistingField column={column} targetFields={targetFields} onSetting={onSetting} />
      ) : (
        <NewField column={column} onSetting={onSetting} />
      )}
      {targetFields || isIgnored ? (
        <span className="text-muted text-sm">{isIgnored ? '' : dataType}</span>
      ) : (
        <Select
          aria-label={`Data type of ${name}`}
          value={dataType}
          onValueChange={(value) => onSetting({ dataType: value })}
          options={DATA_TYPES.map((value) => ({ value, label: value }))}
        />
      )}
      <FormatChoice column={column} isTyped={profile?.isTyped === true} onSetting={onSetting} />
      <div className="flex gap-1">
        <ToggleIcon
          label={isKey ? `${name} identifies a row` : `Let ${name} identify a row`}
          isOn={isKey}
          onToggle={isIgnored ? undefined : onKey}
        >
          <KeyRound />
        </ToggleIcon>
        {onLabel && (
          <ToggleIcon
            label={isLabel ? `${name} is the label of the rows` : `Use ${name} as the label of the rows`}
            isOn={isLabel}
            onToggle={isIgnored ? undefined : onLabel}
          >
            <Tag />
          </ToggleIcon>
        )}
      </div>
    </li>
  );
}

/**
 * Returns how many values do not match the chosen data type and format; 0 if the profile has no count for these.
 */
function misfitCountOf(profile: ColumnProfile | undefined, { dataType, format }: ResolvedColumn): number {
  const profileOfType = profile?.dataType === dataType ? profile : profile && readingAs(profile, dataType);
  if (!profileOfType) return 0;
  const { date = 'YMD', decimal = '.' } = profileOfType.format;
  return (format.date ?? 'YMD') === date && (format.decimal ?? '.') === decimal ? profileOfType.misfits : 0;
}

function ToggleIcon({
  label,
  isOn,
  onToggle,
  children,
}: {
  label: string;
  isOn: boolean;
  onToggle: (() => void) | undefined;
  children: React.ReactNode;
}) {
  if (!onToggle && !isOn) return null;
  return (
    <Button
      variant="ghost"
      size="icon-sm"
      aria-label={label}
      title={label}
      aria-pressed={isOn}
      disabled={!onToggle}
      onClick={onToggle}
      className={isOn ? 'text-accent' : 'text-muted opacity-60'}
    >
      {children}
    </Button>
  );
}

const IGNORED = 'ignored';

function ExistingField({
  column: { name, field },
  targetFields: { fields, keyFieldIds },
  onSetting,
}: {
  column: ResolvedColumn;
  targetFields: TargetFields;
  onSetting: (setting: ColumnSetting) => void;
}) {
  return (
    <Select
      aria-label={`Field for the column ${name}`}
      value={field?.fieldId == null ? IGNORED : String(field.fieldId)}
      onValueChange={(chosen) => onSetting({ field: chosen === IGNORED ? null : { fieldId: Number(chosen) } })}
      options={[
        { value: IGNORED, label: 'Ignore' },
        ...fields.map(({ fieldId, name: fieldName }) => ({
          value: String(fieldId),
          label: keyFieldIds.includes(fieldId) ? `${fieldName} (key)` : fieldName,
        })),
      ]}
    />
  );
}

/** The name of a new field; an empty name ignores the column. */
function NewField({
  column: { name, field },
  onSetting,
}: {
  column: ResolvedColumn;
  onSetting: (setting: ColumnSetting) => void;
}) {
  const [enteredName, setEnteredName] = useState<string>();
  return (
    <Input
      aria-label={`Field for the column ${name}`}
      placeholder="Ignored"
      maxLength={200}
      value={enteredName ?? field?.name ?? ''}
      onChange={(event) => setEnteredName(event.target.value)}
      onBlur={() => {
        if (enteredName === undefined) return;
        setEnteredName(undefined);
        const fieldName = enteredName.trim();
        if (fieldName !== (field?.name ?? '')) onSetting({ field: fieldName === '' ? null : { name: fieldName } });
      }}
    />
  );
}

const DATE_LABELS = { YMD: '2025-12-31', DMY: '31.12.2025', MDY: '12/31/2025' } as const;
const NUMBER_LABELS = { '.': '1,234.5', ',': '1.234,5' } as const;

/**
 * The format of a date or number column, for the user to choose, or the detected words of a boolean column. Typed
 * cells need no format.
 */
function FormatChoice({
  column: { name, field, dataType, format },
  isTyped,
  onSetting,
}: {
  column: ResolvedColumn;
  isTyped: boolean;
  onSetting: (setting: ColumnSetting) => void;
}) {
  if (field === null || isTyped) return <span />;
  if (dataType === 'date') {
    return (
      <Select
        aria-label={`Format of the dates of ${name}`}
        value={format.date ?? 'YMD'}
        onValueChange={(date) => onSetting({ format: { date } })}
        options={(['YMD', 'DMY', 'MDY'] as const).map((value) => ({ value, label: DATE_LABELS[value] }))}
      />
    );
  }
  if (dataType === 'number') {
    const numberFormat = (decimal: '.' | ','): Partial<ColumnFormat> => ({
      decimal,
      group: decimal === ',' ? '.' : ',',
    });
    return (
      <Select
        aria-label={`Format of the numbers of ${name}`}
        value={format.decimal ?? '.'}
        onValueChange={(decimal) => onSetting({ format: numberFormat(decimal) })}
        options={(['.', ','] as const).map((value) => ({ value, label: NUMBER_LABELS[value] }))}
      />
    );
  }
  if (dataType === 'boolean' && format.yes?.[0] !== undefined) {
    return (
      <span className="truncate text-muted text-sm">
        {format.yes[0]} / {format.no?.[0] ?? 'empty'}
      </span>
    );
  }
  return <span />;
}
