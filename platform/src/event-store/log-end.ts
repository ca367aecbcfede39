/** The form of `ACCEPT_LOG_END`: the position of the last event of a log that an operator accepts, although later events were lost. */
export const LOG_END_PATTERN = /^\d{1,18}$/;
/** The description of a valid value, in the message about an invalid one. */
export const LOG_END_EXPECTED = 'the position in the message with which the product refused to start, such as 48213';
