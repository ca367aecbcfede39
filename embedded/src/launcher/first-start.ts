/**
 * Completes the first start before the front door opens: gives command-api the settings for the administrator, loads
 * sample data, and saves the first passwords to a file.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Secrets, writePrivately } from './secrets.ts';
import type { Settings } from './settings.ts';

/** Loads the sample data through the public API. Skips steps that an earlier start completed. */
export type LoadSampleData = (options: {
  baseUrl: string;
  adminUsername: string;
  adminPassword: string;
  samplePassword: string;
  log: (line: string) => void;
}) => Promise<void>;

export type FirstStartOptions = {
  settings: Settings;
  secrets: Secrets;
  /** The address through which the services can be reached while the front door is closed. */
  privateUrl: string;
  commandApiUrl: string;
  /** The address that users open. */
  address: string;
  print: (line: string) => void;
  sampleDataLoader: () => Promise<LoadSampleData>;
};

export type FirstStart = {
  /** Returns the settings with which command-api creates the administrator; none once this creation is complete. */
  env(): NodeJS.ProcessEnv;
  /**
   * Loads missing sample data if the settings require sample data, and completes the creation of the administrator. If
   * loading fails, prints the error; the next start tries again.
   */
  complete(): Promise<void>;
  /** Returns lines about the first users and the first passwords. */
  signInLines(): string[];
};

type Progress = { administrator: boolean; sampleData: boolean };

const ADMINISTRATOR = 'admin';
const SAMPLE_USERS = ['steward', 'approver', 'viewer'];

export function prepareFirstStart(options: FirstStartOptions): FirstStart {
  const { settings, secrets, privateUrl, commandApiUrl, address, print, sampleDataLoader } = options;
  const markerPath = join(settings.dataDir, 'first-start.json');
  const passwordsPath = join(settings.dataDir, 'first-sign-in.txt');
  const progress: Progress = existsSync(markerPath)
    ? (JSON.parse(readFileSync(markerPath, 'utf8')) as Progress)
    : { administrator: false, sampleData: false };
  const password = settings.adminPassword ?? secrets.adminPassword;
  const samplePassword = settings.samplePassword ?? secrets.samplePassword;
  const mustChange = settings.adminPassword === undefined;
  let newPasswords: string[] = [];

  const saveProgress = (more: Partial<Progress>) => {
    Object.assign(progress, more);
    writePrivately(markerPath, `${JSON.stringify(progress, null, 2)}\n`);
  };

  /**
   * Sets whether the administrator must change the password at the next sign-in. A new administrator need not, so that
   * the sample data can be loaded with the first password.
   */
  async function setPasswordChangeRequired(isRequired: boolean): Promise<void> {
    await postUntilAccepted(() =>
      post(`${commandApiUrl}/internal/bootstrap/finish`, { requirePasswordChange: isRequired }, secrets.serviceSecret),
    );
  }

  async function loadSampleData(): Promise<void> {
    const startedAt = performance.now();
    print('Loading sample data …');
    const load = await sampleDataLoader();
    const log = (line: string) => print(`  ${line}`);
    await load({ baseUrl: privateUrl, adminUsername: ADMINISTRATOR, adminPassword: password, samplePassword, log });
    saveProgress({ sampleData: true });
    print(`Sample data loaded in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  }

  /** Loads sample data at a later start. Meanwhile, the administrator need not change the first password. */
  async function loadSampleDataLater(): Promise<void> {
    const answer = await post(`${privateUrl}/api/login`, { username: ADMINISTRATOR, password });
    if (!answer.ok)
      throw new Error(
        'the administrator could not sign in. If the password was changed, set ADMIN_PASSWORD to the current password for one start, or set SAMPLE_DATA=off',
      );
    const { data, ...user } = (await answer.json()) as {
      data?: { requirePasswordChange?: boolean };
      requirePasswordChange?: boolean;
    };
    const mustChangeNow = (data ?? user).requirePasswordChange === true;
    if (mustChangeNow) await setPasswordChangeRequired(false);
    try {
      await loadSampleData();
    } finally {
      if (mustChangeNow) await setPasswordChangeRequired(true);
    }
  }

  const row = (name: string, secret: string, note: string) => `${name.padEnd(10)}${secret.padEnd(18)}(${note})`;

  /** Saves passwords in a file. Runs before `saveProgress`, so that no password is lost if the process is killed. */
  function savePasswords(rows: string[]): void {
    if (rows.length === 0) return;
    const text = existsSync(passwordsPath) ? readFileSync(passwordsPath, 'utf8') : `First sign-in at ${address}\n\n`;
    writePrivately(
      passwordsPath,
      text +
        rows
          .filter((line) => !text.includes(line))
          .map((line) => `${line}\n`)
          .join(''),
    );
  }

  return {
    env: () =>
      progress.administrator
        ? {}
        : {
            ADMIN_PASSWORD: password,
            SAMPLE_DATA: settings.sampleData ? 'on' : 'off',
            SAMPLE_PASSWORD: samplePassword,
          },
    async complete() {
      const isFirst = !progress.administrator;
      const loadsSamples = settings.sampleData && !progress.sampleData;
      const adminRows =
        isFirst && mustChange ? [row(ADMINISTRATOR, password, 'to be changed at the first sign-in')] : [];
      const sampleRows =
        loadsSamples && settings.samplePassword === undefined
          ? SAMPLE_USERS.map((name) => row(name, samplePassword, 'sample user'))
          : [];
      savePasswords([...adminRows, ...sampleRows]);
      if (loadsSamples)
        await (isFirst ? loadSampleData() : loadSampleDataLater()).catch((error: unknown) => {
          print(`Sample data could not be loaded: ${error instanceof Error ? error.message : error}`);
          print('Everything else works. Loading is tried again at the next start.');
        });
      if (isFirst) {
        await setPasswordChangeRequired(mustChange);
        saveProgress({ administrator: true });
      }
      newPasswords = progress.sampleData ? [...adminRows, ...sampleRows] : adminRows;
    },
    signInLines() {
      const people = [ADMINISTRATOR, ...(progress.sampleData ? SAMPLE_USERS : [])].join(', ');
      if (newPasswords.length > 0)
        return [
          `Who can sign in: ${people}`,
          ...newPasswords.map((line) => `  ${line}`),
          `The passwords are shown only once. They are stored in ${passwordsPath}`,
        ];
      if (existsSync(passwordsPath))
        return [`First users: ${people}. Their first passwords are stored in ${passwordsPath}`];
      return [`First users: ${people}. Their first passwords are those of the settings at the first start`];
    },
  };
}

async function post(url: string, body: unknown, serviceSecret?: string): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(serviceSecret !== undefined && { 'X-Service-Secret': serviceSecret }),
    },
    body: JSON.stringify(body),
  });
}

async function postUntilAccepted(attempt: () => Promise<Response>): Promise<void> {
  for (let retriesLeft = 20; ; retriesLeft--) {
    const answer = await attempt().catch((error: Error) => error);
    if (!(answer instanceof Error) && answer.ok) return;
    if (retriesLeft === 0)
      throw new Error(
        `The first start could not be finished: ${answer instanceof Error ? answer.message : answer.status}`,
      );
    await pause(500);
  }
}
