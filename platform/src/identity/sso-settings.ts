/** Checks the settings of single sign-on. Provider, issuer and client id must all be set or all be missing. */

const NAME = /^[a-z][a-z0-9-]{0,30}$/;
/** The name that stands for users with a password: no provider can have it. */
const LOCAL = 'local';
const REQUIRED_TOGETHER = ['SSO_PROVIDER', 'SSO_ISSUER', 'SSO_CLIENT_ID'] as const;

/** The host names of this machine. A provider on any other host must use https. */
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** Returns one line for each setting that is wrong. An empty value counts as missing. */
export function ssoProblems(environment: NodeJS.ProcessEnv): string[] {
  const { SSO_PROVIDER: name, SSO_ISSUER: issuer, SSO_ROLE_CLAIM: roleClaim } = environment;
  const missing = REQUIRED_TOGETHER.filter((setting) => !environment[setting]);
  if (missing.length === REQUIRED_TOGETHER.length) {
    return roleClaim
      ? [
          `SSO_ROLE_CLAIM: has an effect only if ${REQUIRED_TOGETHER.slice(0, -1).join(', ')} and ${REQUIRED_TOGETHER.at(-1)} are set`,
        ]
      : [];
  }
  const requirement = `${REQUIRED_TOGETHER.join(', ')} are set together or not at all`;
  return [
    ...missing.map((setting) => `${setting}: is missing; ${requirement}`),
    ...(name && (!NAME.test(name) || name === LOCAL)
      ? [`SSO_PROVIDER: must be a short lower-case name such as okta, and not ${LOCAL}`]
      : []),
    ...(issuer && !isIssuer(issuer)
      ? [
          'SSO_ISSUER: must be the https address of the issuer, without a user name, a password, ? and #; http is allowed only if the provider runs on this machine',
        ]
      : []),
  ];
}

function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, search, hash, username, password } = new URL(text);
  const safe = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname));
  return safe && search === '' && hash === '' && username === '' && password === '' && !/[?#]/.test(text);
}
