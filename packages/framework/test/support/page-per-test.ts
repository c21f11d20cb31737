import { afterAll, beforeAll, beforeEach } from "@jest/globals";

/**
 * Opens a page before each test of a file, once for the tests of a block that calls `sharePage`.
 * @param openPage closes a previous page, and opens another page
 */
export const openPageBeforeEach = (openPage: () => Promise<void>) => {
  let isPageShared = false;
  beforeEach(async () => {
    if (!isPageShared) await openPage();
  });
  return {
    /** The tests of this block share one page. No test depends on the state in which another test leaves it. */
    sharePage: (): void => {
      beforeAll(async () => {
        await openPage();
        isPageShared = true;
      });
      afterAll(() => {
        isPageShared = false;
      });
    },
  };
};
