import type { Rendered } from "@parley/contract";
import { CallFailed, type AppProcess, type ProcessCallOptions } from "./app-process.ts";

/**
 * States of a pooled process:
 *
 *   new ──► waiting ──► busy ◄──► idle
 *    │         │          │        │
 *    │         │          ▼        │
 *    │         │       retiring    │
 *    ▼         ▼          ▼        ▼
 *    └─────────┴──── ended ◄───────┘
 *
 * - new: opened; nothing has asked for a process yet.
 * - waiting: calls wait until the pool starts the process.
 * - busy: the code is being loaded, a call is running, or a question of the app is pending.
 * - idle: the process is loaded and has no work; the pool may end it at any time.
 * - retiring: accepts no more calls and ends after the running calls.
 * - ended: the process has ended, and no process will start.
 */
export type PooledState = "new" | "waiting" | "busy" | "idle" | "retiring" | "ended";

const NEXT_STATES: Readonly<Record<PooledState, readonly PooledState[]>> = {
  new: ["waiting", "ended"],
  waiting: ["busy", "ended"],
  busy: ["idle", "retiring", "ended"],
  idle: ["busy", "retiring", "ended"],
  retiring: ["ended"],
  ended: [],
};

/** Functions of the pool for its processes. */
interface PoolHooks {
  /** The process wants to be started. */
  enqueue(process: PooledProcess): void;
  /** Called after each change of the state. */
  changed(process: PooledProcess, from: PooledState): void;
}

interface WaitingCall {
  begin(process: AppProcess): void;
  fail(error: CallFailed): void;
}

/** Starts the app's process; `changed` is called whenever work begins or ends in it. */
export type StartProcess = (changed: () => void) => AppProcess;

/** A process of an installation that the pool starts when it is needed and there is room. */
export interface PooledProcess {
  readonly installation: string;
  readonly state: () => PooledState;
  /** Whether further calls are accepted. */
  readonly isUsable: () => boolean;
  /** Whether calls wait for the start. */
  readonly hasCalls: () => boolean;
  /** The running process, if it has been started. */
  readonly process: () => AppProcess | undefined;
  /** Runs a handler once the process is started. @errors CallFailed, also if the wait takes longer than the time limit of the call */
  call(
    handler: string,
    args: unknown,
    renders: boolean,
    options: ProcessCallOptions & { readonly ms: number },
  ): Promise<Rendered | undefined>;
  /** Asks for the process before its first call. */
  warm(): void;
  /** Starts the process. Called by the pool. */
  start(): void;
  /** Accepts no more calls and ends after the present calls. */
  retire(): void;
  /** Ends at once, with all calls. */
  end(reason: string): Promise<void>;
}

const waitedTooLong = (ms: number): string =>
  `no process became free within ${ms / 1000} s: all processes of the platform are busy. ` +
  "Raise PARLEY_APP_PROCESSES, or run another process of the platform";

/** @shape startProcess: called at most once, by `start` */
export const createPooledProcess = (
  installation: string,
  startProcess: StartProcess,
  hooks: PoolHooks,
): PooledProcess => {
  let state: PooledState = "new";
  let running: AppProcess | undefined;
  let isRetired = false;
  const waiting = new Set<WaitingCall>();

  const enter = (next: PooledState): void => {
    if (state === next) return;
    if (!NEXT_STATES[state].includes(next)) throw new Error(`A pooled process cannot go from ${state} to ${next}`);
    const from = state;
    state = next;
    hooks.changed(self, from);
  };
  /** Follows the process: work that begins makes it busy, work that ends makes it idle. */
  const follow = (): void => {
    if (!running || (state !== "busy" && state !== "idle")) return;
    if (running.isAlive()) enter(running.isIdle() ? "idle" : "busy");
  };
  const failWaiting = (message: string): void => {
    for (const call of waiting) call.fail(new CallFailed({ message }));
    waiting.clear();
  };
  const askForProcess = (): void => {
    if (state !== "new") return;
    enter("waiting");
    hooks.enqueue(self);
  };
  /** Waits for the start of the process, at most for the time limit of the call. */
  const started = (ms: number, begin: (process: AppProcess) => Promise<Rendered | undefined>) =>
    new Promise<Rendered | undefined>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(call);
        reject(new CallFailed({ message: waitedTooLong(ms) }));
        // Nobody waits for the process any more.
        if (waiting.size === 0 && state === "waiting") enter("ended");
      }, ms);
      const call: WaitingCall = {
        begin(process) {
          clearTimeout(timer);
          begin(process).then(resolve, reject);
        },
        fail(error) {
          clearTimeout(timer);
          reject(error);
        },
      };
      waiting.add(call);
      askForProcess();
    });

  const self: PooledProcess = {
    installation,
    state: () => state,
    isUsable: () => !isRetired && state !== "retiring" && state !== "ended" && (running?.isAlive() ?? true),
    hasCalls: () => waiting.size > 0,
    process: () => running,
    async call(handler, args, renders, options) {
      if (state === "ended") throw new CallFailed({ message: "the app's process has ended" });
      const begin = (process: AppProcess) => process.call(handler, args, renders, options);
      return running ? begin(running) : started(options.ms, begin);
    },
    warm: askForProcess,
    start() {
      enter("busy");
      const process = startProcess(follow);
      running = process;
      // The calls begin before a retirement, which waits for running calls only.
      for (const call of waiting) call.begin(process);
      waiting.clear();
      if (isRetired) self.retire();
      void process.ended.then((reason) => {
        failWaiting(`the app's process was ended: ${reason}`);
        enter("ended");
      });
    },
    retire() {
      isRetired = true;
      if (state === "new") return enter("ended");
      // Waiting calls still get their process.
      if (state === "waiting") return waiting.size === 0 ? enter("ended") : undefined;
      if (state === "ended") return undefined;
      enter("retiring");
      return running?.retire();
    },
    async end(reason) {
      isRetired = true;
      if (!running) {
        failWaiting(`the app's process was ended: ${reason}`);
        return enter("ended");
      }
      if (state !== "ended") enter("retiring");
      await running.kill(reason);
      return undefined;
    },
  };
  return self;
};
