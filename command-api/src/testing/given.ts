/** The form of decider specs: given past events, when a command is decided, then events or a refusal. */
import { type DomainEvent, type EventMetadata, Refusal, type RefusalCode, type RowOutcome } from '@rdm/contracts';
import { eventMetadata } from '@rdm/contracts/testing/events';
import { expect } from 'vitest';
import type { Decision } from '../runtime/decision.ts';
import type { StreamKind } from '../runtime/fold.ts';

/** A past event in a spec; `by` is its actor, on whom some rules depend. */
export type Past<E extends DomainEvent> = E & { by?: number };

/** Metadata of an event by an actor. */
export const metadataBy = (actorId: number | null): EventMetadata => eventMetadata({ actorId });

/** Returns `given` for one kind of stream; `actor` is the default actor of past events. */
export function specify<State, E extends DomainEvent>(kind: StreamKind<State, E>, actor = 1) {
  return {
    given(...past: Past<E>[]) {
      const state = () => {
        let folded = kind.initial();
        for (const { by, ...event } of past) {
          folded = kind.evolve(folded, { ...event, metadata: metadataBy(by ?? actor) } as never);
        }
        return folded;
      };
      return {
        state,
        when<Result>(decide: (state: State) => Decision<E, Result>) {
          return {
            // biome-ignore lint/suspicious/noThenProperty: given, when, then is how these specs read; nothing awaits them.
            then(...events: E[]) {
              const decision = decide(state());
              expect(decision.events).toEqual(events);
              return {
                refusing(id: number, code: string) {
                  const outcomes = decision.result as RowOutcome[];
                  expect(outcomes.find((row) => row.id === id)).toMatchObject({ outcome: 'refused', code });
                },
              };
            },
            thenNothing() {
              expect(decide(state()).events).toEqual([]);
            },
            thenRefused(code: RefusalCode, message?: string) {
              let thrown: unknown;
              try {
                decide(state());
              } catch (error) {
                thrown = error;
              }
              expect(thrown).toBeInstanceOf(Refusal);
              expect((thrown as Refusal).code).toBe(code);
              if (message !== undefined) expect((thrown as Refusal).message).toBe(message);
            },
            result(): Result {
              return decide(state()).result;
            },
          };
        },
      };
    },
  };
}
