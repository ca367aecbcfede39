/** The header of a relationship's values: source and target, cardinality, and the actions on the relationship itself. */
import { hasLevel } from '@rdm/contracts/access/permissions';
import type { RelationshipView } from '@rdm/contracts/relationships/relationships';
import { ChevronLeft, Copy, FileUp, History, MoreVertical, Pencil, Plus } from 'lucide-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { PageHeader } from '../../../components/page/index.tsx';
import { VERB_ICONS } from '../../../components/review/verbs.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Badge } from '../../../components/ui/badge.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../components/ui/dropdown-menu.tsx';
import type { Undoable } from '../../../components/undo-bar/index.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { CARDINALITY_RULES, CARDINALITY_WORDS } from './cardinality-labels.ts';
import { RelationshipEnds } from './columns.tsx';
import { RelationshipHistory } from './RelationshipHistory.tsx';
import { HEADER_WORDS, headerRefusal, headerVerbs, useHeaderReview } from './useHeaderReview.tsx';

export interface ValuesHeaderProps {
  relationship: RelationshipView;
  onAdd: () => void;
  onImport: () => void;
  onCopy: () => void;
  onUndoable: (undoable: Undoable) => void;
}

export function ValuesHeader({ relationship, onAdd, onImport, onCopy, onUndoable }: ValuesHeaderProps) {
  const navigate = useNavigate();
  const user = useCurrentUser();
  const [history, setHistory] = useState(false);
  const review = useHeaderReview(onUndoable);
  const mayWrite = hasLevel(relationship.level, 'WRITE');
  const verbs = headerVerbs(relationship);

  return (
    <>
      <Link
        to="/relationships"
        className="mb-1 inline-flex items-center gap-1 self-start text-muted text-sm hover:text-ink"
      >
        <ChevronLeft aria-hidden="true" className="size-4" />
        Relationships
      </Link>
      <PageHeader
        title={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="min-w-0 break-words">{relationship.name}</span>
            <Badge className="font-normal" title={CARDINALITY_RULES[relationship.cardinality]}>
              {CARDINALITY_WORDS[relationship.cardinality]}
            </Badge>
            {relationship.relationshipType !== '' && (
              <Badge tone="outline" className="font-normal">
                {relationship.relationshipType}
              </Badge>
            )}
          </span>
        }
        description={<RelationshipEnds relationship={relationship} />}
        actions={
          <>
            {mayWrite && (
              <>
                <Button onClick={onImport}>
                  <FileUp />
                  Import
                </Button>
                <Button variant="primary" onClick={onAdd}>
                  <Plus />
                  Add value
                </Button>
              </>
            )}
            <Menu
              trigger={
                <Button size="icon" aria-label="More actions of the relationship">
                  <MoreVertical />
                </Button>
              }
            >
              <MenuItem onSelect={() => void navigate(`/relationships/${relationship.id}`)}>
                <Pencil />
                {relationship.level === 'ADMIN' ? 'Edit definition' : 'Definition'}
              </MenuItem>
              {mayWrite && (
                <MenuItem onSelect={onCopy}>
                  <Copy />
                  Copy as…
                </MenuItem>
              )}
              <MenuItem onSelect={() => setHistory(true)}>
                <History />
                History
              </MenuItem>
              <MenuSeparator />
              {verbs.map((verb) => {
                const Icon = VERB_ICONS[verb];
                const unavailable = headerRefusal(verb, relationship, user.id);
                return (
                  <MenuItem
                    key={verb}
                    disabled={unavailable !== undefined}
                    className={HEADER_WORDS[verb].destructive ? 'text-danger-text' : ''}
                    onSelect={() => review.openDialog(verb, relationship)}
                  >
                    <Icon />
                    <span>
                      {HEADER_WORDS[verb].action}
                      {unavailable !== undefined && <span className="block text-xs">{unavailable}</span>}
                    </span>
                  </MenuItem>
                );
              })}
            </Menu>
          </>
        }
      />
      {relationship.deletionRequested && (
        <Alert tone="warning" className="mb-4" title="The deletion of this relationship waits for a review">
          An approver decides on it; until then its values stay in use.
        </Alert>
      )}
      {review.dialog}
      {history && <RelationshipHistory relationship={relationship} onClose={() => setHistory(false)} />}
    </>
  );
}
