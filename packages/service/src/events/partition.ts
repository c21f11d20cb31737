/** How many parts the log is delivered in: at most so many processes can share the work. */
export const PARTITIONS = 64;

/** The part of the log that an entity's events are in: all of one entity are in one, so that its order can be kept. */
export const partitionOf = (entityId: string): number => Number.parseInt(entityId.slice(-2), 16) % PARTITIONS;
