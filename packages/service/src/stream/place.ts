/** A place in the log that outlives this process: a position, and a sign of the event that stands there. */
export interface Place {
  readonly seq: number;
  /** Tells the event from another one at the same position of a log that was put back or removed. */
  readonly sign: string;
}

/** In place of an event, where none stands at the position that is known to be kept as long as those after it. */
export const BEGINNING = "0".repeat(8);

/** The end of an event's id, which is chance. */
export const signOf = (eventId: string): string => eventId.slice(-BEGINNING.length);

/** As readers hold it; they look into it no further. */
export const placeText = ({ seq, sign }: Place): string => `${seq.toString(36)}-${sign}`;

/** -> undefined for what was never handed out */
export const placeOf = (text: string): Place | undefined => {
  const [, position = "", sign = ""] = /^([0-9a-z]{1,11})-([0-9a-f]{8})$/.exec(text) ?? [];
  const seq = Number.parseInt(position, 36);
  return Number.isSafeInteger(seq) ? { seq, sign } : undefined;
};
