/** What the app asked for is not to be had; the app sees the status and the words. */
export class FrontRefused extends Error {
  override readonly name = "FrontRefused";
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
