/** The logo, which links to the company's site if one is configured, otherwise to the start page. */
import { Link } from 'react-router-dom';
import { LogoMark } from '../../components/logo/index.tsx';
import { useAuthConfig } from '../../lib/auth/config.ts';

export function Logo({ expanded }: { expanded: boolean }) {
  const { data: config } = useAuthConfig();
  const classes = 'flex h-14 shrink-0 items-center gap-3 border-hairline border-b px-4 focus-visible:-outline-offset-2';
  const content = (
    <>
      <LogoMark />
      {expanded && <span className="truncate font-semibold">Reference Data</span>}
    </>
  );
  if (!config?.companyUrl) {
    return (
      <Link to="/" className={classes} aria-label="Start page">
        {content}
      </Link>
    );
  }
  return (
    <a
      href={config.companyUrl}
      target="_blank"
      rel="noreferrer"
      className={classes}
      aria-label="Company site (opens in a new tab)"
    >
      {content}
    </a>
  );
}
