const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether an external id has the format of a uuid column. Other ids can't match any row. */
export const isUuid = (text: string): boolean => UUID.test(text);
