/** A row as the rest of the house writes absence: a member that isn't there. */
export const withoutNulls = <T extends object>(row: T): T =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as T;
