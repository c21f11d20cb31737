/** Compiles each schema once in a process, however many services begin there: a reset of a world begins one. */
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
