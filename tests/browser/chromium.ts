/**
 * Finds a Chromium: the executable at CHROMIUM_PATH, an installed headless build, another installed Chromium or Chrome,
 * or the Chromium in an npm package.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Names of executables in the order of preference. The headless build is first, because the full browsers spend half of
 * their processor time on window management.
 */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
];
const PATHS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Flags to run as root, without a graphics processor and without background requests. */
export const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Returns the path of an executable browser. */
export async function findChromium(): Promise<string> {
  const configuredPath = process.env['CHROMIUM_PATH'];
  if (configuredPath) return configuredPath;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const onPath = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  const installed = [...onPath, ...PATHS].find((path) => existsSync(path));
  if (installed) return installed;
  const { default: packaged } = await import('@sparticuz/chromium');
  // The package unpacks Chromium into TMPDIR. MACHINE_TMPDIR outlasts a test run, so the next run reuses the copy.
  const { TMPDIR, MACHINE_TMPDIR } = process.env;
  if (MACHINE_TMPDIR) process.env['TMPDIR'] = MACHINE_TMPDIR;
  try {
    return await packaged.executablePath();
  } finally {
    if (TMPDIR) process.env['TMPDIR'] = TMPDIR;
  }
}
