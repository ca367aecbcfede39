/** Tests that the append client is replaced when a member of the cluster hangs. */
import { describe, it } from 'vitest';
import { append, connect, freePorts, newStream, startMember, useMembers } from '../append-client/members.ts';

useMembers();

describe('the append client', () => {
  it('appends to another member when a member hangs', async () => {
    const ports = await freePorts(2);
    const store = connect(ports);
    const hanging = await startMember(ports[0]);
    await append(store, newStream());
    hanging.child.kill('SIGSTOP');
    await startMember(ports[1]);
    const stream = newStream();
    console.info(`Appended ${Math.round(await append(store, stream))} ms after a member began to hang`);
  });
});
