/** Holds requests while it is closed. */
export interface TrafficGate {
  pass(): Promise<void>;
  shut(): void;
  open(): void;
  readonly isShut: () => boolean;
}

export const createTrafficGate = (): TrafficGate => {
  let closed: { readonly opened: Promise<void>; readonly open: () => void } | undefined;
  return {
    async pass() {
      while (closed) await closed.opened;
    },
    shut() {
      if (closed) return;
      let open = () => undefined as void;
      const opened = new Promise<void>((resolve) => (open = resolve));
      closed = { opened, open };
    },
    open() {
      const before = closed;
      closed = undefined;
      before?.open();
    },
    isShut: () => closed !== undefined,
  };
};
