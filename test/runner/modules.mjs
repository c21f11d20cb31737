/** The two names that the process of tests and its loader agree on. */

/** The query that tells one test file's copies of a module from another's. */
export const FRESH = "file";
/** Where the functions of `@jest/globals` are found while a file is loaded. */
export const GLOBALS = Symbol.for("parley.tests.globals");
