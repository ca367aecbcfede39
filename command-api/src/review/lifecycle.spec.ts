/** Specifies the approval lifecycle of mappings, relationship values and crosswalks, per verb and user. */
import {
  type CrosswalkEvent,
  type Done,
  type DoneFact,
  type MappingEvent,
  mappingKey,
  type RelationshipValueEvent,
  type Reviewer,
  type RowOutcome,
  relationshipValueKey,
  rowId,
  type Tracked,
  undoing,
} from '@rdm/contracts';
import { crosswalkDefined, mappingsDrafted } from '@rdm/contracts/testing/events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reviewDefinition } from '../crosswalks/decider.ts';
import { editMappings, reviewMappings, undoMappings } from '../crosswalks/mappings.ts';
import { undoCrosswalk } from '../crosswalks/undo.ts';
import { undoValues } from '../relationships/undo.ts';
import { editValues, reviewValues } from '../relationships/values.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { metadataBy } from '../testing/given.ts';
import type { RowVerb } from './row-review.ts';

const [AUTHOR, SUBMITTER, REVIEWER, OTHER] = [1, 2, 3, 4];
const UNDONE = '0b2f7c1e-6a53-5d0e-9a3d-2f4d1c7a9e10';

/**
 * The users in the columns of the table: reader, author, submitter and other user. "!" marks the level APPROVER, "*"
 * the level ADMIN. "key" is an API key of the author, with the level of its scope.
 */
const PEOPLE: Readonly<Record<string, Reviewer>> = {
  read: { userId: OTHER, level: 'READ' },
  auth: { userId: AUTHOR, level: 'WRITE' },
  subm: { userId: SUBMITTER, level: 'WRITE' },
  othr: { userId: OTHER, level: 'WRITE' },
  'auth!': { userId: AUTHOR, level: 'APPROVER' },
  'subm!': { userId: SUBMITTER, level: 'APPROVER' },
  'othr!': { userId: OTHER, level: 'APPROVER' },
  'auth*': { userId: AUTHOR, level: 'ADMIN' },
  'othr*': { userId: OTHER, level: 'ADMIN' },
  key: { userId: AUTHOR, level: 'WRITE' },
};

/**
 * The state after a verb, per user, written by hand from the workflow of the design. The author wrote the row. The
 * submitter submitted the row and requested the deletion.
 * States: D draft, P pending, A approved, R rejected; C draft, CP pending, CR rejected, each with a served value; DEL
 * deletion requested; X deleted.
 * Dots and words in lower case are refusals, see CODES.
 */
const TABLE = `
              read auth   subm   othr   auth!  subm!  othr!  auth*  othr*  key
  D   submit  .    P      P      P      P      P      P      P      P      P
  D   recall  .    nopend nopend nopend nopend nopend nopend nopend nopend nopend
  D   approve .    .      .      .      nopend nopend nopend nopend nopend .
  D   reject  .    .      .      .      nopend nopend nopend nopend nopend .
  D   revoke  .    .      .      .      noserv noserv noserv noserv noserv .
  D   discard .    nocand nocand nocand nocand nocand nocand nocand nocand nocand
  D   delete  .    X      X      X      X      X      X      X      X      X
  D   restore .    nodel  nodel  nodel  nodel  nodel  nodel  nodel  nodel  nodel
  D   edit    .    D      D      D      D      D      D      D      D      D
  P   submit  .    nodraf nodraf nodraf nodraf nodraf nodraf nodraf nodraf nodraf
  P   recall  .    nosubm D      nosubm nosubm D      nosubm D      D      nosubm
  P   approve .    .      .      .      eyes   eyes   A      eyes   A      .
  P   reject  .    .      .      .      eyes   eyes   R      eyes   R      .
  P   revoke  .    .      .      .      noserv noserv noserv noserv noserv .
  P   discard .    pend   pend   pend   pend   pend   pend   pend   pend   pend
  P   delete  .    pend   pend   pend   pend   pend   pend   pend   pend   pend
  P   restore .    nodel  nodel  nodel  nodel  nodel  nodel  nodel  nodel  nodel
  P   edit    .    pend   pend   pend   pend   pend   pend   pend   pend   pend
  A   submit  .    nodraf nodraf nodraf nodraf nodraf nodraf nodraf nodraf nodraf
  A   recall  .    nopend nopend nopend nopend nopend nopend nopend nopend nopend
  A   approve .    .      .      .      nopend nopend nopend nopend nopend .
  A   reject  .    .      .      .      nopend nopend nopend nopend nopend .
  A   revoke  .    .      .      .      R      R      R      R      R      .
  A   discard .    nocand nocand nocand nocand nocand nocand nocand nocand nocand
  A   delete  .    DEL    DEL    DEL    DEL    DEL    DEL    DEL    DEL    DEL
  A   restore .    nodel  nodel  nodel  nodel  nodel  nodel  nodel  nodel  nodel
  A   edit    .    C      C      C      C      C      C      C      C      C
  R   submit  .    same   same   same   same   same   same   same   same   same
  R   recall  .    nopend nopend nopend nopend nopend nopend nopend nopend nopend
  R   approve .    .      .      .      nopend nopend nopend nopend nopend .
  R   reject  .    .      .      .      nopend nopend nopend nopend nopend .
  R   revoke  .    .      .      .      noserv noserv noserv noserv noserv .
  R   discard .    nocand nocand nocand nocand nocand nocand nocand nocand nocand
  R   delete  .    X      X      X      X      X      X      X      X      X
  R   restore .    nodel  nodel  nodel  nodel  nodel  nodel  nodel  nodel  nodel
  R   edit    .    D      D      D      D      D      D      D      D      D
  C   submit  .    CP     CP     CP     CP     CP     CP     CP     CP     CP
  C   recall  .    nopend nopend nopend nopend nopend nopend nopend nopend nopend
  C   approve .    .      .      .      nopend nopend nopend nopend nopend .
  C   reject  .    .      .      .      nopend nopend nopend nopend nopend .
  C   revoke  .    .      .      .      D      D      D      D      D      .
  C   discard .    A      noedit noedit A      noedit noedit A      A      A
  C   delete  .    cand   cand   cand   cand   cand   cand   cand   cand   cand
  C   restore .    nodel  nodel  nodel  nodel  nodel  nodel  nodel  nodel  nodel
  C   edit    .    C      C      C      C      C      C      C      C      C
  CP  submit  .    nodraf nodraf nodraf nodraf nodraf nodraf nodraf nodraf nodraf
  CP  recall  .    nosubm C      nosubm nosubm C      nosubm C      C      nosubm
  CP  approve .    .      .      .      eyes   eyes   A      eyes   A      .
  CP  reject  .    .      .      .      eyes   eyes   CR     eyes   CR     .
  CP  revoke  .    .      .      .      P      P      P      P      P      .
  CP  discard .    pend   pend   pend   pend   pend   pend   pend   pend   pend
  CP  delete  .    pend   pend   pend   pend   pend   pend   pend   pend   pend
  CP  restore .    nodel  nodel  nodel  nodel  nodel  nodel  nodel  nodel  nodel
  CP  edit    .    pend   pend   pend   pend   pend   pend   pend   pend   pend
  CR  submit  .    same   same   same   same   same   same   same   same   same
  CR  recall  .    nopend nopend nopend nopend nopend nopend nopend nopend nopend
  CR  approve .    .      .      .      nopend nopend nopend nopend nopend .
  CR  reject  .    .      .      .      nopend nopend nopend nopend nopend .
  CR  revoke  .    .      .      .      R      R      R      R      R      .
  CR  discard .    A      A      noedit A      A      noedit A      A      A
  CR  delete  .    cand   cand   cand   cand   cand   cand   cand   cand   cand
  CR  restore .    nodel  nodel  nodel  nodel  nodel  nodel  nodel  nodel  nodel
  CR  edit    .    C      C      C      C      C      C      C      C      C
  DEL submit  .    nodraf nodraf nodraf nodraf nodraf nodraf nodraf nodraf nodraf
  DEL recall  .    nosubm A      nosubm nosubm A      nosubm A      A      nosubm
  DEL approve .    .      .      .      X      eyes   X      X      X      .
  DEL reject  .    .      .      .      A      eyes   A      A      A      .
  DEL revoke  .    .      .      .      R      R      R      R      R      .
  DEL discard .    pend   pend   pend   pend   pend   pend   pend   pend   pend
  DEL delete  .    pend   pend   pend   pend   pend   pend   pend   pend   pend
  DEL restore .    nodel  nodel  nodel  nodel  nodel  nodel  nodel  nodel  nodel
  DEL edit    .    pend   pend   pend   pend   pend   pend   pend   pend   pend
  X   submit  .    gone   gone   gone   gone   gone   gone   gone   gone   gone
  X   recall  .    gone   gone   gone   gone   gone   gone   gone   gone   gone
  X   approve .    .      .      .      gone   gone   gone   gone   gone   .
  X   reject  .    .      .      .      gone   gone   gone   gone   gone   .
  X   revoke  .    .      .      .      gone   gone   gone   gone   gone   .
  X   discard .    gone   gone   gone   gone   gone   gone   gone   gone   gone
  X   delete  .    gone   gone   gone   gone   gone   gone   gone   gone   gone
  X   restore .    D      D      D      D      D      D      D      D      D
  X   edit    .    gone   gone   gone   gone   gone   gone   gone   gone   gone
`;

const CODES: Readonly<Record<string, string>> = {
  '.': 'LEVEL',
  nopend: 'NOT_PENDING',
  noserv: 'NOT_SERVED',
  nocand: 'NO_CANDIDATE',
  nodel: 'NOT_DELETED',
  nodraf: 'NOT_DRAFT',
  nosubm: 'NOT_SUBMITTER',
  noedit: 'NOT_EDITOR',
  eyes: 'FOUR_EYES',
  pend: 'PENDING',
  same: 'UNCHANGED',
  cand: 'CANDIDATE',
  gone: 'DELETED',
  super: 'SUPERSEDED',
};

type Verb = RowVerb | 'edit';
interface Line {
  state: string;
  verb: Verb;
  cells: [person: string, expected: string][];
}

const LINES: Line[] = (() => {
  const [columns = '', ...lines] = TABLE.trim().split('\n');
  const people = columns.trim().split(/\s+/);
  return lines.map((line) => {
    const [state = '', verb = '', ...cells] = line.trim().split(/\s+/);
    return {
      state,
      verb: verb as Verb,
      cells: cells.map((cell, index) => [people[index] as string, cell] as [string, string]),
    };
  });
})();

/**
 * The facts that lead to each state: the author writes and deletes, the submitter submits and requests the deletion,
 * and the reviewer decides.
 */
const FACTS_TO_STATE: Readonly<Record<string, [by: number, fact: DoneFact][]>> = (() => {
  const draft: [number, DoneFact][] = [[AUTHOR, 'drafted']];
  const pending: [number, DoneFact][] = [...draft, [SUBMITTER, 'submitted']];
  const approved: [number, DoneFact][] = [...pending, [REVIEWER, 'approved']];
  const candidate: [number, DoneFact][] = [...approved, [AUTHOR, 'edited']];
  return {
    D: draft,
    P: pending,
    A: approved,
    R: [...pending, [REVIEWER, 'rejected']],
    C: candidate,
    CP: [...candidate, [SUBMITTER, 'submitted']],
    CR: [...candidate, [SUBMITTER, 'submitted'], [REVIEWER, 'rejected']],
    DEL: [...approved, [SUBMITTER, 'deletionRequested']],
    X: [...draft, [AUTHOR, 'deleted']],
  };
})();

/** A row's state as named in the table. */
function stateOf(row: Tracked<unknown>): string {
  if (row.deleted) return 'X';
  if (row.deletionRequested) return 'DEL';
  const letter = row.approvalStatus.charAt(0);
  return row.served === null || letter === 'A' ? letter : letter === 'D' ? 'C' : `C${letter}`;
}

/** A kind of reviewed rows or definitions. */
interface ReviewedKind {
  kind: string;
  verbs: ReadonlySet<Verb>;
  /** Creates a row without facts. */
  start: () => TestRow;
}
interface TestRow {
  row: () => Tracked<unknown>;
  record: (by: number, fact: DoneFact) => void;
  act: (verb: Verb, by: Reviewer, change: number) => RowOutcome;
  undo: (done: Done<unknown>, by: Reviewer) => RowOutcome;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const COMMENT = 'because';
const undoes = { undoes: UNDONE, comment: undefined };
const onlyOutcome = (outcomes: readonly RowOutcome[]): RowOutcome => outcomes[0] as RowOutcome;

function mappings(): TestRow {
  const id = rowId(1, mappingKey('de'));
  let bucket = kinds.mappings.initial();
  const fold = (events: readonly MappingEvent[], by: number) => {
    for (const event of events) bucket = kinds.mappings.evolve(bucket, { ...event, metadata: metadataBy(by) });
  };
  const pair = (change: number) => ({ id, targetValue: `t${change}`, confidence: 100 });
  const row = () => bucket.rows.get(id) as Tracked<unknown>;
  return {
    row,
    record(by, fact) {
      if (fact === 'drafted') {
        return fold([mappingsDrafted({ ...pair(0), sourceValue: 'de' })], by);
      }
      if (fact === 'edited') return fold([{ type: 'MappingsEdited', data: { rows: [pair(1)] } }], by);
      fold([{ type: `Mappings${capital(fact)}`, data: { ids: [id], comment: COMMENT } } as MappingEvent], by);
    },
    act(verb, by, change) {
      const { revision } = row();
      const decision =
        verb === 'edit'
          ? editMappings(bucket, [{ ...pair(change), revision }], by)
          : reviewMappings(bucket, verb, [{ id, revision }], by, COMMENT);
      fold(decision.events, by.userId);
      return onlyOutcome(decision.result);
    },
    undo(done, by) {
      const decision = undoMappings(bucket, [{ ...(done as Done<never>), id }], by, undoes);
      fold(decision.events, by.userId);
      return onlyOutcome(decision.result);
    },
  };
}

function relationshipValues(): TestRow {
  const rules = { cardinality: 'MANY_TO_MANY', refusesSelf: false, required: [] } as const;
  const pair = (change: number) => ({ sourceInstanceId: 1, targetInstanceId: 100 + change, attributes: {} });
  const id = rowId(1, relationshipValueKey(rules.cardinality, pair(0)));
  let bucket = kinds.relationshipValues.initial();
  const fold = (events: readonly RelationshipValueEvent[], by: number) => {
    for (const event of events) {
      bucket = kinds.relationshipValues.evolve(bucket, { ...event, metadata: metadataBy(by) });
    }
  };
  const row = () => bucket.rows.get(id) as Tracked<unknown>;
  return {
    row,
    record(by, fact) {
      const type = `RelationshipValues${capital(fact)}`;
      const data =
        fact === 'drafted' || fact === 'edited'
          ? { rows: [{ id, ...pair(fact === 'drafted' ? 0 : 1) }] }
          : { ids: [id], comment: COMMENT };
      fold([{ type, data } as RelationshipValueEvent], by);
    },
    act(verb, by, change) {
      const { revision } = row();
      const decision =
        verb === 'edit'
          ? editValues(bucket, [{ id, revision, ...pair(change) }], rules, by)
          : reviewValues(bucket, verb, [{ id, revision }], rules, { by, comment: COMMENT });
      fold(decision.events, by.userId);
      return onlyOutcome(decision.result);
    },
    undo(done, by) {
      const decision = undoValues(bucket, [{ ...(done as Done<never>), id }], rules, by, undoes);
      fold(decision.events, by.userId);
      return onlyOutcome(decision.result);
    },
  };
}

function crosswalk(): TestRow {
  let state = kinds.crosswalk.initial();
  const fold = (events: readonly CrosswalkEvent[], by: number) => {
    for (const event of events) state = kinds.crosswalk.evolve(state, { ...event, metadata: metadataBy(by) });
  };
  const row = () => state as Tracked<unknown>;
  return {
    row,
    record(by, fact) {
      if (fact === 'drafted') return fold([crosswalkDefined({ name: 'Codes' })], by);
      const attributes = { sourceFieldId: 1, targetFieldId: 2 };
      if (fact === 'edited') return fold([{ type: 'CrosswalkAttributesChanged', data: attributes }], by);
      fold([{ type: `Crosswalk${capital(fact)}`, data: { comment: COMMENT } } as CrosswalkEvent], by);
    },
    act(verb, by) {
      const request = { revision: row().revision, comment: COMMENT };
      const decision = reviewDefinition(state, verb as RowVerb, by, request);
      fold(decision.events, by.userId);
      return onlyOutcome(decision.result);
    },
    undo(done, by) {
      const decision = undoCrosswalk(state, { ...(done as Done<never>), id: 1 }, by, undoes);
      fold(decision.events, by.userId);
      return onlyOutcome(decision.result);
    },
  };
}

const ALL: ReadonlySet<Verb> = new Set(LINES.map(({ verb }) => verb));
const REVIEWED_KINDS: ReviewedKind[] = [
  { kind: 'mappings', verbs: ALL, start: mappings },
  { kind: 'relationship values', verbs: ALL, start: relationshipValues },
  {
    kind: 'crosswalks',
    verbs: new Set<Verb>(['submit', 'recall', 'approve', 'reject', 'revoke', 'discard', 'delete', 'restore']),
    start: crosswalk,
  },
];

function createRowInState(start: ReviewedKind['start'], state: string): TestRow {
  const subject = start();
  for (const [by, fact] of FACTS_TO_STATE[state] ?? []) subject.record(by, fact);
  return subject;
}

describe.each(REVIEWED_KINDS)('the lifecycle of $kind', ({ start, verbs }) => {
  // The deletion and restoration of a crosswalk require the level ADMIN: decider.spec.ts tests these verbs.
  const isTestedElsewhere = (verb: Verb) => start === crosswalk && (verb === 'delete' || verb === 'restore');
  const lines = LINES.filter(({ verb }) => verbs.has(verb) && !isTestedElsewhere(verb));

  it.each(Object.keys(FACTS_TO_STATE))('reaches the state %s', (state) => {
    expect(stateOf(createRowInState(start, state).row())).toBe(state);
  });

  it.each(lines)('$verb in state $state follows the table', ({ state, verb, cells }) => {
    const outcomes = cells.map(([person]) => {
      const subject = createRowInState(start, state);
      const outcome = subject.act(verb, PEOPLE[person] as Reviewer, 2);
      return `${person} ${outcome.outcome === 'done' ? stateOf(subject.row()) : outcome.code}`;
    });
    expect(outcomes).toEqual(cells.map(([person, expected]) => `${person} ${CODES[expected] ?? expected}`));
  });
});

/** The undo of a verb by the user who did it: state before, verb, and the state after the undo or a word of `CODES`. */
const UNDO = `
  D submit D    C submit C    P approve P    CP approve CP   DEL approve DEL   P reject P     CP reject CP
  DEL reject DEL   A revoke P    DEL revoke P    C revoke super   CP revoke super   CR revoke super
  P recall P    CP recall CP  DEL recall DEL  C discard C    CR discard CR
  D delete D    R delete D    A delete A    X restore X    D edit D    A edit A    C edit C    R edit R   CR edit CR
`;
const FACT_OF: Readonly<Record<Verb, DoneFact>> = {
  submit: 'submitted',
  recall: 'recalled',
  approve: 'approved',
  reject: 'rejected',
  revoke: 'revoked',
  discard: 'discarded',
  delete: 'deleted',
  restore: 'restored',
  edit: 'edited',
};
const factOf = (verb: Verb, before: Tracked<unknown>): DoneFact =>
  verb === 'delete' && before.served !== null ? 'deletionRequested' : FACT_OF[verb];

const UNDOS = [...UNDO.matchAll(/(\S+) (\S+) (\S+)/g)].map(([, state = '', verb = '', to = '']) => ({
  state,
  verb: verb as Verb,
  to,
}));
const DOER: Reviewer = { userId: REVIEWER, level: 'ADMIN' };

describe.each(REVIEWED_KINDS)('the undo of $kind', ({ start, verbs }) => {
  it.each(UNDOS.filter(({ verb }) => verbs.has(verb)))(
    'undoing $verb from state $state gives $to',
    ({ state, verb, to }) => {
      const subject = createRowInState(start, state);
      const before = subject.row();
      expect(subject.act(verb, DOER, 3).outcome).toBe('done');
      const done = {
        fact: factOf(verb, before),
        before,
        revision: subject.row().revision,
        by: REVIEWER,
        approvedAuthors: [AUTHOR],
      };
      const outcome = subject.undo(done, DOER);
      const expected = CODES[to] ?? to;
      expect(outcome.outcome === 'done' ? stateOf(subject.row()) : outcome.code).toBe(expected);
      for (const author of before.authors) {
        if (outcome.outcome === 'done' && stateOf(subject.row()) !== 'A')
          expect(subject.row().authors).toContain(author);
      }
      // The author of a revoked value cannot approve the value in its next review.
      if (outcome.outcome === 'done' && verb === 'revoke') {
        expect(subject.act('approve', { userId: AUTHOR, level: 'ADMIN' }, 0).code).toBe('FOUR_EYES');
      }
    },
  );

  it('is refused with the code of the reason', () => {
    const subject = createRowInState(start, 'P');
    const before = subject.row();
    subject.act('approve', DOER, 0);
    const done = {
      fact: 'approved',
      before,
      revision: subject.row().revision,
      by: REVIEWER,
      approvedAuthors: [],
    } as const;
    const by = (userId: number, level: Reviewer['level']) => subject.undo(done, { userId, level }).code;
    expect(by(OTHER, 'APPROVER')).toBe('NOT_DOER');
    expect(by(REVIEWER, 'WRITE')).toBe('LEVEL');
    subject.act('revoke', { userId: OTHER, level: 'APPROVER' }, 0);
    expect(subject.undo(done, DOER)).toMatchObject({ code: 'LATER', changedBy: OTHER });
    const undoChange = { ...done, fact: 'undone', revision: subject.row().revision } as const;
    expect(subject.undo(undoChange, DOER).code).toBe('UNDO');
  });
});

describe.each(REVIEWED_KINDS)('any sequence of changes and undos of $kind', ({ start, verbs }) => {
  const people: Reviewer[] = [
    { userId: AUTHOR, level: 'ADMIN' },
    { userId: SUBMITTER, level: 'WRITE' },
    { userId: REVIEWER, level: 'APPROVER' },
    { userId: OTHER, level: 'ADMIN' },
  ];
  const step = fc.record({
    verb: fc.constantFrom<Verb | 'undo'>(...verbs, 'undo', 'undo'),
    by: fc.constantFrom(...people),
    change: fc.nat({ max: 3 }),
    /** The undo targets the change that is this many changes before the last one. */
    stepsBack: fc.nat({ max: 2 }),
  });
  const allowed = new Set(
    LINES.flatMap(({ state, verb, cells }) =>
      cells.flatMap(([, to]) => (CODES[to] === undefined ? [`${state} ${verb} ${to}`] : [])),
    ),
  );

  it('follows the table and never serves a value approved by one of its authors', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const subject = start();
        subject.record(AUTHOR, 'drafted');
        /** The users who contributed to the working value since the last approval, tracked by this test itself. */
        let contributors = new Set([AUTHOR]);
        /** The users who contributed to any value that was ever approved. */
        const approvedAuthors = new Set<number>();
        /** The served value, tracked by this test itself. */
        let served: unknown = null;
        const past: { done: Done<unknown>; state: string; verb: Verb; contributors: Set<number>; served: unknown }[] =
          [];
        for (const { verb, by, change, stepsBack } of steps) {
          const before = subject.row();
          const state = stateOf(before);
          if (verb === 'undo') {
            const last = past.at(-1 - stepsBack);
            if (!last || subject.undo(last.done, by).outcome !== 'done') continue;
            // A contributor cannot undo a decision about the value.
            if (last.verb === 'approve' || last.verb === 'reject') expect(last.contributors.has(by.userId)).toBe(false);
            const stateAfter = stateOf(subject.row());
            const isFromRejected = last.verb === 'delete' && last.state === 'R';
            expect(stateAfter).toBe(last.verb === 'revoke' ? 'P' : isFromRejected ? 'D' : last.state);
            contributors = new Set(
              stateAfter === 'A'
                ? []
                : [
                    ...last.contributors,
                    ...contributors,
                    ...(last.verb === 'revoke' ? [...approvedAuthors, by.userId] : []),
                  ],
            );
            served = last.verb === 'revoke' ? null : last.served;
          } else {
            if (subject.act(verb, by, change).outcome !== 'done') continue;
            const row = subject.row();
            if (row === before) continue;
            expect(allowed).toContain(`${state} ${verb} ${stateOf(row)}`);
            if (verb === 'approve') for (const contributor of contributors) approvedAuthors.add(contributor);
            const fact = factOf(verb, before);
            const done = { fact, before, revision: row.revision, by: by.userId, approvedAuthors: [...approvedAuthors] };
            past.push({ done, state, verb, contributors, served });
            if (verb === 'approve') expect(contributors.has(by.userId)).toBe(false);
            const isOver = stateOf(row) === 'A' || (verb === 'approve' && state === 'DEL');
            // A request for deletion is a contribution, so that its author does not approve the deletion.
            const isContribution = ['submit', 'edit', 'restore'].includes(verb) || stateOf(row) === 'DEL';
            contributors = isOver ? new Set() : isContribution ? new Set([...contributors, by.userId]) : contributors;
            if (verb === 'approve') served = state === 'DEL' ? null : before.value;
            if (verb === 'revoke') served = null;
          }
          expect(subject.row().served).toEqual(served);
          for (const contributor of contributors) {
            if (stateOf(subject.row()) === 'P' || stateOf(subject.row()) === 'CP')
              expect(subject.row().authors).toContain(contributor);
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the undo of a row without a previous state', () => {
  it('is refused', () => {
    const row = createRowInState(mappings, 'A').row();
    const done = {
      fact: 'approved',
      before: undefined,
      revision: row.revision,
      by: REVIEWER,
      approvedAuthors: [],
    } as const;
    expect(undoing(row, done, DOER)).toEqual({ refused: 'NOT_FOUND' });
  });
});
