/** `ACCEPT_LOG_END`: the position of the event at which a log that has lost its later events may end. */
export const LOG_END = /^\d{1,18}$/;
export const LOG_END_EXPECTED = 'the position that the refusal to start names, such as 48213';
