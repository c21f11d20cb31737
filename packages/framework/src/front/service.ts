/** Where the live service is, and a key that reads and writes as an agent of the account. */
export interface ServiceAccess {
  /** Without a path: `http://127.0.0.1:10002`. */
  readonly origin: string;
  /** Never leaves this process but in a request to `origin`. */
  readonly token: () => string | Promise<string>;
  /** The account's name. */
  readonly account: string;
}
