/** The logo of the product: ruled lines and a margin, like a ledger. */
export function LogoMark({ className = 'size-8' }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={className}>
      <rect width="32" height="32" rx="5" fill="#0B5A6B" />
      <path d="M8 9h16M8 16h16M8 23h16" stroke="#fff" strokeWidth="2" strokeLinecap="round" />
      <path d="M13 6v20" stroke="#5CC0D0" strokeWidth="2" strokeLinecap="round" />
    </svg>
  );
}
