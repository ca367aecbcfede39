/** The attribute definitions of a relationship, with buttons to add, edit and remove attributes. */
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../../components/ui/badge.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Confirm } from '../../../components/ui/dialog.tsx';
import type { AttributeEdit } from '../api/relationships.ts';
import { AttributeDialog } from './AttributeDialog.tsx';

export interface AttributeTableProps<Attribute extends AttributeEdit> {
  attributes: readonly Attribute[];
  mayEdit: boolean;
  /** Why the data types of attributes cannot be changed; undefined if they can be changed. */
  dataTypesLockReason: string | undefined;
  onAdd: (attribute: AttributeEdit) => void | Promise<void>;
  onChange: (attribute: Attribute, edit: AttributeEdit) => void | Promise<void>;
  onRemove: (attribute: Attribute) => void | Promise<void>;
  /**
   * Describes the effect of a removal on existing values, for the confirmation. If undefined, attributes are removed
   * without a confirmation.
   */
  removalWarning?: string;
}

type OpenDialog<Attribute> = { dialog: 'new' } | { dialog: 'edit' | 'remove'; attribute: Attribute };

export function AttributeTable<Attribute extends AttributeEdit>(props: AttributeTableProps<Attribute>) {
  const { attributes, mayEdit, dataTypesLockReason, removalWarning } = props;
  const [openDialog, setOpenDialog] = useState<OpenDialog<Attribute>>();
  const [busy, setBusy] = useState(false);
  const editedAttribute = openDialog?.dialog === 'edit' ? openDialog.attribute : undefined;

  async function remove(attribute: Attribute) {
    setBusy(true);
    await props.onRemove(attribute);
    setBusy(false);
    setOpenDialog(undefined);
  }

  return (
    <section aria-label="Attributes" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-medium text-base">Attributes</h2>
        {mayEdit && (
          <Button size="sm" onClick={() => setOpenDialog({ dialog: 'new' })}>
            <Plus />
            Add attribute
          </Button>
        )}
      </div>
      {attributes.length === 0 ? (
        <p className="text-muted">
          No attributes. An attribute adds details to each value, such as a start date or a share.
        </p>
      ) : (
        <ul className="divide-y divide-hairline rounded-md border border-hairline bg-surface">
          {attributes.map((attribute) => (
            <li key={attribute.name} className="flex items-start gap-3 px-3 py-2">
              <div className="min-w-0 flex-1">
                <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
                  <span className="break-words font-mono">{attribute.name}</span>
                  <Badge>{attribute.dataType}</Badge>
                  {attribute.isRequired && <Badge tone="accent">required</Badge>}
                </p>
                {attribute.description !== '' && (
                  <p className="break-words text-muted text-sm">{attribute.description}</p>
                )}
              </div>
              {mayEdit && (
                <>
                  <Button
                    variant="ghost"
                    size="icon-sm"
                    aria-label={`Edit ${attribute.name}`}
                    onClick={() => setOpenDialog({ dialog: 'edit', attribute })}
                  >
                    <Pencil />
                  </Button>
                  <Button
                    variant="ghost"
                    size="icon-sm"
                    aria-label={`Remove ${attribute.name}`}
                    onClick={() =>
                      removalWarning === undefined
                        ? void remove(attribute)
                        : setOpenDialog({ dialog: 'remove', attribute })
                    }
                  >
                    <Trash2 />
                  </Button>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {(openDialog?.dialog === 'new' || editedAttribute !== undefined) && (
        <AttributeDialog
          attribute={editedAttribute}
          otherNames={attributes.filter((attribute) => attribute !== editedAttribute).map(({ name }) => name)}
          dataTypeLockReason={editedAttribute === undefined ? undefined : dataTypesLockReason}
          onSave={(edit) => (editedAttribute === undefined ? props.onAdd(edit) : props.onChange(editedAttribute, edit))}
          onClose={() => setOpenDialog(undefined)}
        />
      )}
      {openDialog?.dialog === 'remove' && (
        <Confirm
          open
          onOpenChange={(open) => !open && setOpenDialog(undefined)}
          title={`Remove ${openDialog.attribute.name}?`}
          description={removalWarning}
          confirm="Remove attribute"
          busy={busy}
          onConfirm={() => void remove(openDialog.attribute)}
        />
      )}
    </section>
  );
}
