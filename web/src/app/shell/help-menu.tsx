/** The help menu: help for the page, documentation, support dialog, shortcuts. */
import { BookOpen, CircleHelp, FileQuestion, Keyboard, LifeBuoy } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { Button } from '../../components/ui/button.tsx';
import { Menu, MenuItem } from '../../components/ui/dropdown-menu.tsx';
import { useHelpForPage } from './help-for-page.ts';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';
import { SupportDialog } from './support-dialog.tsx';

export function HelpMenu() {
  const navigate = useNavigate();
  const openHelp = useHelpForPage();
  const [support, setSupport] = useState(false);
  const [shortcuts, setShortcuts] = useState(false);
  return (
    <>
      <Menu
        trigger={
          <Button variant="ghost" size="icon" aria-label="Help">
            <CircleHelp />
          </Button>
        }
      >
        <MenuItem onSelect={openHelp}>
          <FileQuestion />
          Help for this page
        </MenuItem>
        <MenuItem onSelect={() => navigate('/help')}>
          <BookOpen />
          Documentation
        </MenuItem>
        <MenuItem onSelect={() => setSupport(true)}>
          <LifeBuoy />
          Get Support
        </MenuItem>
        <MenuItem onSelect={() => setShortcuts(true)}>
          <Keyboard />
          Keyboard shortcuts
        </MenuItem>
      </Menu>
      <SupportDialog open={support} onOpenChange={setSupport} />
      <ShortcutsDialog open={shortcuts} onOpenChange={setShortcuts} />
    </>
  );
}
