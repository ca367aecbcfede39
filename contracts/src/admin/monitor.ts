/** The monitor's view of the running system. */

/** One build of a projection. */
export interface ProjectionState {
  name: string;
  version: number;
  build: number;
  state: string;
  serving: boolean;
  seq: number;
  position: string;
  /** Events that the reader has numbered and this build has not projected. */
  lag: number;
  failure: string | null;
}

/** GET /api/monitor. */
export interface MonitorView {
  reader: { seq: number; position: string; at: string | null } | null;
  projections: ProjectionState[];
  throughput: { minute: string; events: number }[];
  jobs: Record<string, number>;
  clients: number;
  /** Problems that keep services from working, and their remedies, in sentences. */
  problems: string[];
}
