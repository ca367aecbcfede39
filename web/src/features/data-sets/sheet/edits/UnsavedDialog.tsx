/** Lists all unsaved edits, each with the reason why it is unsaved. Users can discard the edits of a row. */
import { valueText } from '../../../../components/diff/index.tsx';
import { Button } from '../../../../components/ui/button.tsx';
import { Dialog } from '../../../../components/ui/dialog.tsx';
import type { Edits } from './edits.ts';

interface Item {
  id: number;
  key: string;
  field: string;
  text: string;
  reason: string;
}

const itemsOf = (edits: Edits): Item[] => [
  ...edits.unsaved().flatMap(({ id, key, waiting, sending, failure, conflict }) =>
    Object.entries({ ...sending, ...waiting }).map(([field, value]) => ({
      id,
      key,
      field,
      text: valueText(value),
      reason: failure ?? (conflict === undefined ? 'It is being saved' : 'Another user changed this row too'),
    })),
  ),
  ...edits.invalidTexts().map(({ row: { id, key }, field, text, reason }) => ({ id, key, field, text, reason })),
];

export function UnsavedDialog({ edits, onClose }: { edits: Edits; onClose: () => void }) {
  const items = itemsOf(edits);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Unsaved edits"
      description="Edits are kept until they are saved. “Discard” discards the unsaved edits of the row, except those that are already being sent."
      footer={
        <Button variant="primary" onClick={onClose}>
          Close
        </Button>
      }
    >
      {items.length === 0 && <p className="text-sm">There are no unsaved edits.</p>}
      <ul className="divide-y divide-hairline border-hairline border-y text-sm">
        {items.map(({ id, key, field, text, reason }) => (
          <li key={`${id} ${field}`} className="flex items-start gap-3 py-1.5">
            <span className="min-w-0 flex-1 break-words">
              <span className="font-mono">{key}</span> · {field}: <span className="font-mono">{text}</span>
              <span className="block text-muted text-xs">{reason}</span>
            </span>
            <Button size="sm" variant="ghost" onClick={() => edits.discard(id)}>
              Discard
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
