type Done<T> = ((value: T) => unknown) | null | undefined;
type Failed = ((reason: unknown) => unknown) | null | undefined;

const ignore = () => undefined;

/**
 * What `$db`, `$request`, `$schedule` and `generateTargetUrl` return: a promise that also has `done`, `fail` and `always`, which apps for
 * platform-version 2 call. Each of them returns the promise that it was called on; what a listener throws is an unhandled rejection.
 * @assumed the specification names promises alone; public apps chain these three
 */
export class ChainedPromise<T> extends Promise<T> {
  /** Calls `listener` with the value, and `failed` with the reason of a refusal. */
  done(listener?: Done<T>, failed: Failed = ignore): this {
    void this.then(listener, failed);
    return this;
  }

  /** Calls `listener` with the reason of a refusal. */
  fail(listener?: Failed): this {
    void this.then(ignore, listener);
    return this;
  }

  /** Calls `listener` with the value or the reason. */
  always(listener?: (outcome: unknown) => unknown): this {
    void this.then(listener, listener);
    return this;
  }
}
