/**
 * Imports relationship values from a file or a paste, in which keys name the source row and target row of each value.
 * Shows a preview first; then a job imports the values.
 */

import type { ImportStarted } from '@rdm/contracts/jobs/row-imports';
import type {
  ImportedValue,
  ImportRelationshipValues,
  ValueColumns,
  ValueImportPreview,
} from '@rdm/contracts/relationships/relationship-value-exchange';
import type { RelationshipView } from '@rdm/contracts/relationships/relationships';
import { ImportRowsDialog } from '../../../components/import-rows/index.tsx';
import { cellClasses, RowsPreview, valueClasses } from '../../../components/import-rows/preview.tsx';
import { Field } from '../../../components/ui/input.tsx';
import { type Option, Select } from '../../../components/ui/select.tsx';
import { Switch } from '../../../components/ui/switch.tsx';
import { importValues, previewImport } from '../api/values.ts';
import { valuesText } from './cardinality-labels.ts';

export interface ImportDialogProps {
  relationship: RelationshipView;
  /** The id of a file that is uploaded already. */
  fileId?: string | undefined;
  onStarted: (started: ImportStarted) => void;
  onClose: () => void;
}

type ImportSettings = Pick<ImportRelationshipValues, 'isNamed' | 'columns'>;

const FORMAT_WORDS: Record<ValueImportPreview['format'], string> = { csv: 'CSV', json: 'JSON' };
/** No settings: the server detects the columns. */
const DETECTED_SETTINGS: ImportSettings = {};

export function ImportDialog({ relationship, fileId, onStarted, onClose }: ImportDialogProps) {
  const { id, sourceName, targetName, attributes } = relationship;
  return (
    <ImportRowsDialog<ImportSettings, ValueImportPreview>
      title="Import values"
      description={`One value per line: the key of a row of ${sourceName}, the key of a row of ${targetName}, then the attributes. CSV or JSON; a preview shows the result before anything is written.`}
      label="Rows"
      hint="Paste rows from a spreadsheet, or drop a file here. A first line with column names is recognised. A composite key is a JSON array of its parts."
      accept=".csv,.tsv,.txt,.json,text/csv,text/tab-separated-values,text/plain,application/json"
      into={{ relationshipId: id }}
      fileId={fileId}
      countText={valuesText}
      formatText={({ format }) => FORMAT_WORDS[format]}
      settings={DETECTED_SETTINGS}
      loadPreview={(importOptions) => previewImport(id, importOptions)}
      send={(importOptions) => importValues(id, importOptions)}
      onStarted={onStarted}
      onClose={onClose}
    >
      {(preview, reloadPreview) => (
        <>
          <ColumnChoice relationship={relationship} preview={preview} onChange={reloadPreview} />
          <RowsPreview
            preview={preview}
            heads={[
              'Source',
              'Target',
              ...attributes.filter(({ name }) => isImported(preview, name)).map(({ name }) => name),
            ]}
            cellsOf={(row) => <ValueCells row={row} preview={preview} relationship={relationship} />}
          />
        </>
      )}
    </ImportRowsDialog>
  );
}

const isImported = ({ uses }: ValueImportPreview, name: string): boolean => Object.hasOwn(uses.attributes, name);

interface ColumnChoiceProps {
  relationship: RelationshipView;
  preview: ValueImportPreview;
  onChange: (settings: ImportSettings) => void;
}

const NOT_IN_FILE = 'none';

/**
 * Lets the user choose the columns with the keys of the source rows and target rows, and with the attributes. Each
 * change updates the preview.
 */
function ColumnChoice({ relationship, preview, onChange }: ColumnChoiceProps) {
  const { format, isNamed, columns, uses } = preview;
  // The options identify a column by its index, because a column name can be equal to `NOT_IN_FILE`.
  const choices = columns.map(({ name, example }, index) => ({
    value: String(index),
    label: example === '' ? name : `${name}: ${example}`,
  }));
  const optionOf = (column: string | undefined) => {
    const index = columns.findIndex(({ name }) => name === column);
    return index < 0 ? NOT_IN_FILE : String(index);
  };
  const nameOf = (value: string) => columns[Number(value)]?.name ?? '';
  const changeColumns = (changed: Partial<ValueColumns>) => onChange({ isNamed, columns: { ...uses, ...changed } });
  const changeAttributeColumn = (attribute: string, value: string) => {
    const { [attribute]: _, ...others } = uses.attributes;
    changeColumns({ attributes: value === NOT_IN_FILE ? others : { ...others, [attribute]: nameOf(value) } });
  };

  const columnField = (
    label: string,
    usedColumn: string | undefined,
    onChoose: (value: string) => void,
    extraOptions: readonly Option[] = [],
  ) => (
    <Field key={label} label={label}>
      {(control) => (
        <Select
          {...control}
          className="w-full"
          value={optionOf(usedColumn)}
          onValueChange={onChoose}
          options={[...choices, ...extraOptions]}
        />
      )}
    </Field>
  );

  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="sr-only">Columns of the file</legend>
      {format === 'csv' && (
        <Switch
          label="The first row names the columns"
          checked={isNamed}
          onCheckedChange={(named) => onChange({ isNamed: named })}
        />
      )}
      <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {columnField(`Source: ${relationship.sourceName}`, uses.source, (value) =>
          changeColumns({ source: nameOf(value) }),
        )}
        {columnField(`Target: ${relationship.targetName}`, uses.target, (value) =>
          changeColumns({ target: nameOf(value) }),
        )}
        {relationship.attributes.map(({ name }) =>
          columnField(
            name,
            isImported(preview, name) ? uses.attributes[name] : undefined,
            (value) => changeAttributeColumn(name, value),
            [{ value: NOT_IN_FILE, label: 'Not in the file' }],
          ),
        )}
      </div>
    </fieldset>
  );
}

interface ValueCellsProps {
  row: ImportedValue;
  preview: ValueImportPreview;
  relationship: RelationshipView;
}

function ValueCells({ row: { sourceKey, targetKey, attributes, before }, preview, relationship }: ValueCellsProps) {
  return (
    <>
      <td className={`${cellClasses} ${valueClasses} min-w-20`}>{sourceKey}</td>
      <td className={`${cellClasses} ${valueClasses} min-w-20`}>{targetKey}</td>
      {relationship.attributes
        .filter(({ name }) => isImported(preview, name))
        .map(({ name }) => {
          const previousText = String(before?.[name] ?? '');
          return (
            <td key={name} className={`${cellClasses} ${valueClasses} min-w-20`}>
              {previousText !== '' && previousText !== attributes[name] && (
                <del className="block text-muted">
                  <span className="sr-only">Until now </span>
                  {previousText}
                </del>
              )}
              {attributes[name] ?? previousText}
            </td>
          );
        })}
    </>
  );
}
