import { stopSignal } from "./stop-signal.ts";

/** How long a stop may take. @units milliseconds */
const STOP = 4_500;

export interface StopMessages {
  /** What takes a while, as it begins. */
  readonly progress: (line: string) => void;
  readonly log: (line: string) => void;
  /** The end of the command. */
  readonly stopped: AbortSignal;
}

/** What is ended at the end. */
interface Closable {
  close(): Promise<void>;
}

interface StartAnnouncement<R extends Closable> {
  /** Nothing but the announcement is printed. */
  readonly json: boolean;
  /** @units seconds: from the beginning of the start */
  readonly announce: (running: R, seconds: number) => string;
  /** It outlives the terminal and the shell that started it. */
  readonly isDaemon?: boolean;
  /** How long a stop may take; 4.5 s when absent. @units milliseconds */
  readonly stopMs?: number;
}

/** Starts, announces itself on standard output, and runs until Ctrl-C, SIGTERM or the end of who started it. */
export async function untilStopped<R extends Closable>(
  begin: (telling: StopMessages) => Promise<R>,
  { json, announce, isDaemon = false, stopMs = STOP }: StartAnnouncement<R>,
): Promise<void> {
  const begun = performance.now();
  const stop = stopSignal({ isDaemon });
  const end = new AbortController();
  void stop.reached.then(() => end.abort());
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const isQuiet = json || !process.stderr.isTTY;
  let running: R;
  try {
    running = await begin({
      progress: isQuiet ? () => undefined : (line) => say(`  ${line} …`),
      log: say,
      stopped: end.signal,
    });
  } catch (error) {
    // What was waited for when the end came is no failure.
    if (stop.aborted) return;
    throw error;
  }
  if (!stop.aborted) process.stdout.write(`${announce(running, (performance.now() - begun) / 1000)}\n`);
  await stop.reached;
  if (!isQuiet) say("  Stopping …");
  // PostgreSQL and the app's processes end with this one, whatever it is that hangs.
  const tooLong = setTimeout(() => process.exit(1), stopMs);
  await running.close();
  clearTimeout(tooLong);
}
