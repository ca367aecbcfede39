/** The field for CSV data, which the user types, pastes, or provides as a file. */
import { FileUp, X } from 'lucide-react';
import type { ClipboardEvent } from 'react';
import { useFileInput } from '../../../components/file-input/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { cn } from '../../../components/ui/cn.ts';
import { Field, Input, Textarea } from '../../../components/ui/input.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import type { CsvData } from '../api/state.ts';
import { readCsvFile } from './csv.ts';

/** Maximum characters in the text field after a paste. A longer text would be slow, so it is shown like a file. */
const TEXT_FIELD_CHARACTERS_MAX = 100_000;

export interface CsvFieldProps {
  value: CsvData;
  disabled: boolean;
  error: string | undefined;
  onChange: (csvData: CsvData) => void;
  onProblem: (problem: string) => void;
}

export function CsvField({ value, disabled, error, onChange, onProblem }: CsvFieldProps) {
  const { isOver, dropArea, choose, input } = useFileInput({
    label: 'CSV file',
    accept: '.csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain',
    disabled,
    onFile: (file) => void loadFile(file),
  });

  async function loadFile(file: File) {
    try {
      const read = await readCsvFile(file);
      if ('problem' in read) onProblem(read.problem);
      else onChange(read);
    } catch (error) {
      onProblem(`${file.name} could not be read: ${messageOf(error)}. Choose it again.`);
    }
  }

  function paste(event: ClipboardEvent<HTMLTextAreaElement>) {
    const { value: text, selectionStart, selectionEnd } = event.currentTarget;
    const pasted = event.clipboardData.getData('text/plain');
    if (text.length + pasted.length <= TEXT_FIELD_CHARACTERS_MAX) return;
    event.preventDefault();
    onChange({ name: 'Pasted rows', text: text.slice(0, selectionStart) + pasted + text.slice(selectionEnd) });
  }

  return (
    <div
      {...dropArea}
      className={cn(
        'flex flex-col gap-2 rounded-md',
        isOver && 'outline-2 outline-accent outline-dashed outline-offset-4',
      )}
    >
      <Field
        label="CSV data"
        required
        error={error}
        hint="Paste rows, or drop a CSV file here. The first line names the columns."
        className={value.name === undefined ? 'flex-1' : ''}
      >
        {(control) =>
          value.name === undefined ? (
            <Textarea
              {...control}
              spellCheck={false}
              disabled={disabled}
              className="min-h-40 flex-1 font-mono text-xs"
              value={value.text}
              onPaste={paste}
              onChange={(event) => onChange({ text: event.target.value })}
            />
          ) : (
            <Input
              {...control}
              readOnly
              className="font-mono"
              value={`${value.name}, ${formatNumber(Math.ceil(new Blob([value.text]).size / 1_024))} KiB`}
            />
          )
        }
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button disabled={disabled} onClick={choose}>
          <FileUp />
          {value.name === undefined ? 'Choose a file' : 'Choose another file'}
        </Button>
        {value.name !== undefined && (
          <Button variant="ghost" disabled={disabled} onClick={() => onChange({ text: '' })}>
            <X />
            Remove file
          </Button>
        )}
      </div>
      {input}
    </div>
  );
}
