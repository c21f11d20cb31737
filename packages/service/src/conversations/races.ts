/**
 * How often what lost a race for its conversation is decided anew, a message or a change. Each time another one was done, so that nothing goes round in circles; a
 * customer's message is not to be refused since many write and turn the conversation round at the same moment.
 */
export const TRIES = 64;
