/** What `@jest/globals` is to a test file. */
import { GLOBALS } from "./modules.mjs";

export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globalThis[GLOBALS];
