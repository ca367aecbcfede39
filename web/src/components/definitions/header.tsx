/** The header of the page with a definition's rows: name, badges, buttons and a menu. */
import { History, type LucideIcon, MoreVertical } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useCurrentUser } from '../../lib/auth/index.ts';
import { BackLink, PageHeader } from '../page/index.tsx';
import type { Definition, DefinitionKind } from '../review/definition-kind.ts';
import type { DefinitionReview } from '../review/definition-review.tsx';
import { type RowVerb, VERB_ICONS } from '../review/verbs.ts';
import { Button } from '../ui/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../ui/dropdown-menu.tsx';

export interface DefinitionHeaderProps<Row extends Definition, Verb extends RowVerb> {
  kind: DefinitionKind<Row, Verb>;
  definition: Row;
  /** The status and the rules of the definition, shown beside its name. */
  badges: ReactNode;
  description: ReactNode;
  /** The buttons before the menu. */
  actions: ReactNode;
  /** The menu items before History. */
  menuItems: ReactNode;
  /** The review verbs in the menu. */
  verbs: readonly Verb[];
  hasVerbIcons?: boolean;
  review: DefinitionReview<Row, Verb>;
}

export function DefinitionHeader<Row extends Definition, Verb extends RowVerb>(
  props: DefinitionHeaderProps<Row, Verb>,
) {
  const { kind, definition, verbs, hasVerbIcons = false, review } = props;
  const user = useCurrentUser();
  const [isHistoryOpen, setHistoryOpen] = useState(false);

  const verbItem = (verb: Verb) => {
    const Icon: LucideIcon = VERB_ICONS[verb];
    const refusal = kind.refusalOf(verb, definition, user.id);
    return (
      <MenuItem
        key={verb}
        disabled={refusal !== undefined}
        className={kind.words[verb].destructive ? 'text-danger-text' : ''}
        onSelect={() => review.openDialog(verb, definition)}
      >
        {hasVerbIcons && <Icon />}
        <span>
          {kind.words[verb].action}
          {refusal !== undefined && <span className="block text-xs">{refusal}</span>}
        </span>
      </MenuItem>
    );
  };

  return (
    <>
      <BackLink to={`/${kind.name}s`}>{kind.title}s</BackLink>
      <PageHeader
        title={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="min-w-0 break-words">{definition.name}</span>
            {props.badges}
          </span>
        }
        description={props.description}
        actions={
          <>
            {props.actions}
            <Menu
              trigger={
                <Button size="icon" aria-label={`More actions of the ${kind.name}`}>
                  <MoreVertical />
                </Button>
              }
            >
              {props.menuItems}
              <MenuItem onSelect={() => setHistoryOpen(true)}>
                <History />
                History
              </MenuItem>
              {verbs.length > 0 && <MenuSeparator />}
              {verbs.map(verbItem)}
            </Menu>
          </>
        }
      />
      {review.dialog}
      {isHistoryOpen && <kind.History definition={definition} onClose={() => setHistoryOpen(false)} />}
    </>
  );
}
