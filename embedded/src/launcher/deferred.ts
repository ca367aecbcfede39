/** A promise with functions that resolve or reject it. */

export type Deferred<T> = {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: unknown): void;
  isSettled(): boolean;
  /** Returns this object while its promise is pending, and a new object after it has settled. */
  renewIfSettled(): Deferred<T>;
};

export function deferred<T>(): Deferred<T> {
  let settled = false;
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  const self: Deferred<T> = {
    promise,
    resolve(value) {
      settled = true;
      resolve(value);
    },
    reject(reason) {
      settled = true;
      reject(reason);
    },
    isSettled: () => settled,
    renewIfSettled: () => (settled ? deferred<T>() : self),
  };
  return self;
}
