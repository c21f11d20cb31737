/** Typed calls in both directions over the IPC channel between a process and one that it forked. Messages keep their order. */

/** An error as data. Type, code and findings are kept, because callers distinguish errors by them. */
interface ErrorData {
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly code?: string | undefined;
  readonly findings?: unknown;
}

type IpcMessage =
  | { readonly type: "call"; readonly id: number; readonly name: string; readonly args: readonly unknown[] }
  /** A call without a reply. */
  | { readonly type: "notice"; readonly name: string; readonly args: readonly unknown[] }
  | { readonly type: "result"; readonly id: number; readonly value: unknown }
  | { readonly type: "error"; readonly id: number; readonly error: ErrorData };

const toErrorData = (error: unknown): ErrorData => {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message, stack, code, findings } = error as Error & { code?: string; findings?: unknown };
  return { name, message, stack, code, findings };
};

const toError = ({ name, message, stack, code, findings }: ErrorData): Error =>
  Object.defineProperty(
    Object.assign(new Error(message), {
      ...(stack !== undefined && { stack }),
      ...(code !== undefined && { code }),
      ...(findings !== undefined && { findings }),
    }),
    "name",
    { value: name },
  );

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the arguments of any function
type CallTable<Calls> = { readonly [Name in keyof Calls]: (...args: any[]) => unknown };
type ArgumentsOf<Call> = Call extends (...args: infer Args) => unknown ? Args : never;
type ResultOf<Call> = Call extends (...args: never[]) => infer Result ? Result : never;

/** Handlers of the calls of the other process. */
export type CallHandlers<Calls> = {
  readonly [Name in keyof Calls]: (
    ...args: ArgumentsOf<Calls[Name]>
  ) => ResultOf<Calls[Name]> | Promise<ResultOf<Calls[Name]>>;
};

/** Calls to the other process. */
export interface IpcLink<Calls> {
  /** @errors those of the handler; the error of `fail` when the other process ended */
  call<Name extends keyof Calls & string>(
    name: Name,
    ...args: ArgumentsOf<Calls[Name]>
  ): Promise<ResultOf<Calls[Name]>>;
  /** Calls without waiting for a reply. */
  notify<Name extends keyof Calls & string>(name: Name, ...args: ArgumentsOf<Calls[Name]>): void;
  /** Takes a message of the other process. */
  receive(message: unknown): void;
  /** Fails all calls in progress and later calls, because the other process ended. */
  fail(error: Error): void;
}

/** @shape send: sends a message, or ignores it when the channel is closed */
export function createIpcLink<Own extends CallTable<Own>, Other extends CallTable<Other>>(
  send: (message: unknown) => void,
  handlers: CallHandlers<Own>,
): IpcLink<Other> {
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  let last = 0;
  let failure: Error | undefined;
  const post = (message: IpcMessage) => send(message);

  const handle = async (name: string, args: readonly unknown[]): Promise<unknown> => {
    const handler = handlers[name as keyof Own] as (...values: readonly unknown[]) => unknown;
    return handler(...args);
  };

  return {
    call: (name, ...args) =>
      new Promise((resolve, reject) => {
        if (failure) return reject(failure);
        last += 1;
        waiting.set(last, { resolve, reject });
        post({ type: "call", id: last, name, args });
      }),
    notify(name, ...args) {
      if (!failure) post({ type: "notice", name, args });
    },
    receive(received) {
      const message = received as IpcMessage;
      if (message.type === "notice") return void handle(message.name, message.args).catch(() => undefined);
      const { id } = message;
      if (message.type === "call")
        return void handle(message.name, message.args).then(
          (value) => post({ type: "result", id, value }),
          (error: unknown) => post({ type: "error", id, error: toErrorData(error) }),
        );
      const caller = waiting.get(id);
      waiting.delete(id);
      if (message.type === "result") caller?.resolve(message.value as never);
      else caller?.reject(toError(message.error));
    },
    fail(error) {
      failure ??= error;
      for (const { reject } of waiting.values()) reject(failure);
      waiting.clear();
    },
  };
}
