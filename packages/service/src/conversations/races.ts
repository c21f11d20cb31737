/**
 * Maximum decisions of a message or a change that keeps losing races for its conversation. Each lost race means that another one was written,
 * so this bounds unfairness, not a deadlock: a customer's message is not refused because many change the conversation at the same moment.
 */
export const TRIES = 64;
