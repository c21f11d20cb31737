/** Where a user stands in its list, without counting those before it. */
export const RANKS = `
select 1;`;
