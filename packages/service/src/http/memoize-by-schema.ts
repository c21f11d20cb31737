/** Compiles each schema once per process, even if several services start in it, as after a reset of a test environment. */
export const memoizeBySchema = <S extends object, T>(compile: (schema: S) => T): ((schema: S) => T) => {
  const cache = new WeakMap<S, T>();
  return (schema) => {
    const cached = cache.get(schema);
    if (cached !== undefined) return cached;
    const compiled = compile(schema);
    cache.set(schema, compiled);
    return compiled;
  };
};
