/** A promise that the test resolves, for replies and work that must end after another event. */
export interface Held<T> {
  readonly promise: Promise<T>;
  readonly release: (value: T) => void;
}

export function held<T = void>(): Held<T> {
  let release: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => (release = resolve));
  return { promise, release: (value) => release(value) };
}
