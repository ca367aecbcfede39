/** The help menu: documentation, support dialog, shortcuts. */
import { BookOpen, CircleHelp, Keyboard, LifeBuoy } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { Button } from '../../components/ui/button.tsx';
import { Menu, MenuItem } from '../../components/ui/dropdown-menu.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';
import { SupportDialog } from './support-dialog.tsx';

export function HelpMenu() {
  const navigate = useNavigate();
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
