const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Tells whether an id from outside has the shape that the tables' uuid columns take; any other names nothing. */
export const isUuid = (text: string): boolean => UUID.test(text);
