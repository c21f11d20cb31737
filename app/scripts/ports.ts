/** What the page takes from the machine that it runs on. */
export const now = (): Date => new Date();
