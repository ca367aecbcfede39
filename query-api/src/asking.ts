/** Authenticates the requester of a socket, a stream or a download; the command side does the same for uploads. */
export { authenticate as whoAsks } from '@rdm/platform';
