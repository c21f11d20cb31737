/**
 * SQL clause of a statement that writes rows of subscriptions, in the order of their ids: keeps each subscription until the transaction
 * ends. Without it, the statement would ask for this lock only after it has written rows, to check the foreign key, while the removal of the
 * subscription holds the lock and waits for those rows: a deadlock.
 */
export const LOCK_SUBSCRIPTIONS = "for key share of subscriptions";
