/** The two buttons that save the draft of a reviewed row. One of them also submits the draft. */
import { Button } from '../ui/button.tsx';

export interface DraftButtonsProps {
  /** The id of the form whose submit button is the primary button. */
  form: string;
  busy: boolean;
  /** Whether the row was rejected: then the primary button also submits, because the author has corrected the row. */
  isRejected: boolean;
  onSave: (andSubmit: boolean) => void;
}

const labelOf = (andSubmit: boolean) => (andSubmit ? 'Save and submit…' : 'Save draft');

export function DraftButtons({ form, busy, isRejected, onSave }: DraftButtonsProps) {
  return (
    <>
      <Button disabled={busy} onClick={() => onSave(!isRejected)}>
        {labelOf(!isRejected)}
      </Button>
      <Button variant="primary" type="submit" form={form} disabled={busy} aria-busy={busy}>
        {labelOf(isRejected)}
      </Button>
    </>
  );
}
