/** Formats a number of seconds: 3 min 20 s. */
export function duration(seconds: number): string {
  const rounded = Math.round(seconds);
  if (rounded < 60) return `${rounded} s`;
  const minutes = Math.floor(rounded / 60);
  return minutes < 60 ? `${minutes} min ${rounded % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
