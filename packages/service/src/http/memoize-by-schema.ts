/** Compiles each schema once per process, even if several services start in it, as after a reset of a test environment. */
export const memoizeBySchema = <S extends object, T>(compile: (schema: S) => T): ((schema: S) => T) => {
  const known = new WeakMap<S, T>();
  return (schema) => {
    const before = known.get(schema);
    if (before !== undefined) return before;
    const compiled = compile(schema);
    known.set(schema, compiled);
    return compiled;
  };
};
