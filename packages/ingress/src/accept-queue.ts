/**
 * Connections that the operating system keeps for a server until its process accepts them. Node's default of 511 is less than the requests
 * that a process handles at a time, so that a burst of connections would be dropped or reset. The system may limit it further
 * (`net.core.somaxconn` on Linux).
 */
export const ACCEPT_QUEUE_LENGTH = 4_096;
