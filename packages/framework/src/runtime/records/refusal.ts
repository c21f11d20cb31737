/** A record operation that was refused; the app sees the status and the words. */
export class RecordRefused extends Error {
  override readonly name = "RecordRefused";
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export const NOT_FOUND = () => new RecordRefused(404, "Record not found");
export const CONDITION_FAILED = () => new RecordRefused(400, "The setIf conditional request failed");
export const invalid = (message: string) => new RecordRefused(400, message);
