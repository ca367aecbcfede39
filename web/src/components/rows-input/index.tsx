/** Takes rows from a text field, or from a file that the user drops or chooses. */
import { FileUp } from 'lucide-react';
import { formatNumber } from '../../lib/number-format.ts';
import { useFileInput } from '../file-input/index.tsx';
import { Button } from '../ui/button.tsx';
import { cn } from '../ui/cn.ts';
import { Field, Textarea } from '../ui/input.tsx';

export interface RowsInputProps {
  /** The kind of rows: "Mappings". */
  label: string;
  hint: string;
  accept: string;
  text: string;
  file: File | undefined;
  onText: (text: string) => void;
  /** Called with undefined when the user removes the file. */
  onFile: (file: File | undefined) => void;
  error?: string | undefined;
}

export function RowsInput({ label, hint, accept, text, file, onText, onFile, error }: RowsInputProps) {
  const { isOver, dropArea, choose, input } = useFileInput({
    label: `File of ${label.toLowerCase()}`,
    accept,
    onFile,
  });
  return (
    <div
      {...dropArea}
      className={cn('rounded-md', isOver && 'outline-2 outline-accent outline-dashed outline-offset-4')}
    >
      {file === undefined ? (
        <Field label={label} hint={hint} error={error}>
          {(control) => (
            <Textarea
              {...control}
              rows={8}
              className="font-mono"
              spellCheck={false}
              value={text}
              onChange={(event) => onText(event.target.value)}
            />
          )}
        </Field>
      ) : (
        <>
          <p className="flex items-center gap-2">
            <span className="min-w-0 truncate font-mono">{file.name}</span>
            <span className="shrink-0 text-muted text-xs">{formatNumber(Math.ceil(file.size / 1_024))} KiB</span>
            <Button size="sm" variant="ghost" onClick={() => onFile(undefined)}>
              Remove the file
            </Button>
          </p>
          {error !== undefined && (
            <p role="alert" className="text-danger-text text-xs">
              {error}
            </p>
          )}
        </>
      )}
      <Button className="mt-2" onClick={choose}>
        <FileUp />
        {file === undefined ? 'Choose a file' : 'Choose another file'}
      </Button>
      {input}
    </div>
  );
}
