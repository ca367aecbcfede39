/** The fields of the lists of jobs and of their logs. */
import { apiOnly, datetime, json, type ListFields, number, string } from '../lists/list-field.ts';

export const JOB_FIELDS = {
  jobId: number('Job'),
  jobType: string('Type'),
  status: string('Status'),
  description: string('Description'),
  dataSetId: apiOnly(number('Data set id')),
  dataSetName: string('Data set'),
  workflowPhase: string('Phase'),
  jobLevel: string('Level'),
  userId: apiOnly(number('Owner', 'Started by')),
  startedBy: string('Started by'),
  startTime: datetime('Started'),
  endTime: datetime('Ended'),
} satisfies ListFields;

export const JOB_LOG_FIELDS = {
  id: apiOnly(number('Line')),
  timestamp: datetime('Time'),
  level: string('Level'),
  message: string('Message'),
  recordIndex: number('Row', 'Line'),
  recordKey: string('Key'),
  tried: string('Tried'),
  status: string('Status'),
  errorType: string('Error'),
  errorMessage: string('Reason'),
  recordData: apiOnly(json('Values')),
} satisfies ListFields;
