/** Names that the test process and its module hooks share. */

/** Query parameter that distinguishes the instances of a module by test file. */
export const FRESH = "file";
/** Holds the functions of `@jest/globals` while a file is loaded. */
export const GLOBALS = Symbol.for("parley.tests.globals");
