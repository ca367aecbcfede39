/** Selects the light theme, the dark theme or the theme of the system. */
import { Moon, Sun } from 'lucide-react';
import { Button } from '../../components/ui/button.tsx';
import { Menu, MenuChoice } from '../../components/ui/dropdown-menu.tsx';
import { setTheme, THEME_OPTIONS, useTheme } from '../../lib/theme/index.ts';

/** The theme options as menu items. */
export function ThemeChoices() {
  const theme = useTheme();
  return <MenuChoice label="Theme" value={theme} onValueChange={setTheme} options={THEME_OPTIONS} />;
}

/** Hidden on a phone, where the account menu has the options. */
export function ThemeMenu() {
  return (
    <Menu
      trigger={
        <Button variant="ghost" size="icon" aria-label="Theme" className="max-sm:hidden">
          <Sun className="dark:hidden" />
          <Moon className="hidden dark:block" />
        </Button>
      }
    >
      <ThemeChoices />
    </Menu>
  );
}
