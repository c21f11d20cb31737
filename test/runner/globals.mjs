/** The module that test files get as `@jest/globals`. */
import { GLOBALS } from "./modules.mjs";

export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globalThis[GLOBALS];
