/**
 * Sends random requests of the OpenAPI document as an administrator. Each answer must have a documented status and
 * body, and must not be a server error. FAULTS=long sends 10,000 requests.
 */
import { describe, expect, it } from 'vitest';
import { answerProblem } from '../../api-document/answer-check.ts';
import { documentedOperations, type RandomRequest, randomRequest } from '../../api-document/random-requests.ts';
import { announcedSeed, random } from '../../conformance/seed.ts';
import { PASSWORD, stack } from './stack.ts';

const REQUESTS = process.env['FAULTS'] === 'long' ? 10_000 : 500;
const CONCURRENT_REQUESTS = 4;

/** Operations that the run does not send, with the reason. */
const NOT_SENT: Readonly<Record<string, string>> = {
  getChangesStream: 'does not end',
  postLogout: 'ends the session of the run',
  postChangePassword: 'changes the password of the run',
  postUsersByIdRequirePasswordChange: 'blocks the user of the run',
  postUsersByIdEndSessions: 'ends the session of the run',
  postUsersByIdReactivate: 'ends the session of the run',
  postUsersByIdDeactivate: 'ends the session of the run, once there is another administrator',
  postUsersByIdErase: 'erases the user of the run, once there is another administrator',
  patchUsersById: 'takes the role from the user of the run, once there is another administrator',
  postProviderLogin: 'the stack has no sign-in provider',
  postGraphRebuild: 'rebuilds the read models of the graph',
};

async function signIn(): Promise<string> {
  const answer = await fetch(`${stack.baseUrl}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: stack.baseUrl },
    body: JSON.stringify({ username: 'admin', password: PASSWORD }),
  });
  expect(answer.status).toBe(200);
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

const send = ({ method, path, headers, body }: RandomRequest, cookie: string): Promise<Response> =>
  fetch(`${stack.baseUrl}${path}`, {
    method,
    headers: { ...headers, Cookie: cookie, ...(method === 'GET' ? {} : { Origin: stack.baseUrl }) },
    ...(body === undefined ? {} : { body }),
  });

async function problemOf(
  request: RandomRequest,
  cookie: string,
): Promise<{ problem: string | undefined; succeeded: boolean }> {
  const { method, path, body } = request;
  const response = await send(request, cookie);
  const contentType = response.headers.get('Content-Type');
  const text = await response.text();
  const isJson = /^application\/([\w.]+\+)?json/.test(contentType ?? '') && text !== '';
  const answer = { status: response.status, contentType, body: isJson ? JSON.parse(text) : text };
  const failure = response.status >= 500 ? `${method} ${path} answered ${response.status}: ${text}` : undefined;
  const problem = failure ?? answerProblem(method, path, answer);
  return { problem: problem && `${problem}\n  body: ${body?.slice(0, 500)}`, succeeded: response.ok };
}

describe('random requests', () => {
  it('get documented answers, and never a server error', async () => {
    const next = random(announcedSeed('api requests'));
    const operations = documentedOperations().filter(({ operation }) => !(operation.operationId in NOT_SENT));
    const requests = Array.from({ length: REQUESTS }, (_, index) =>
      randomRequest(next, operations[index % operations.length] as (typeof operations)[number]),
    );
    const cookie = await signIn();
    const problems: string[] = [];
    let successes = 0;
    let slowest = { milliseconds: 0, request: '' };
    const sendAll = async (): Promise<void> => {
      for (let request = requests.pop(); request; request = requests.pop()) {
        const startedAt = performance.now();
        const { problem, succeeded } = await problemOf(request, cookie);
        if (succeeded) successes += 1;
        const milliseconds = Math.round(performance.now() - startedAt);
        if (milliseconds > slowest.milliseconds)
          slowest = { milliseconds, request: `${request.method} ${request.path}` };
        if (problem !== undefined) problems.push(problem);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, sendAll));
    console.info(
      `${REQUESTS} requests, of which ${successes} succeeded; the slowest took ${slowest.milliseconds} ms: ${slowest.request.slice(0, 200)}`,
    );
    expect(problems).toEqual([]);
    // Some requests use ids of existing objects, so more than a tenth must succeed.
    expect(successes).toBeGreaterThan(REQUESTS / 10);
    // A valid session shows that no request was refused because the session had ended.
    const answer = await fetch(`${stack.baseUrl}/api/user`, { headers: { Cookie: cookie } });
    expect(answer.status).toBe(200);
  });
});
