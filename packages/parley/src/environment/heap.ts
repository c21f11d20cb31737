import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * The heap of a process may grow to this part above the memory in use after the last collection of old objects. @units percent
 * @assumed With the default, a heap of 60 MB that serves 50 events a second was collected every 7 s, for 60 ms each time.
 */
const GROWTH_PERCENT = 100;
/**
 * Size of a half of the space for new objects from the start. With the default it shrinks while little is allocated, and objects of requests in
 * progress count as old. @units mebibytes
 */
const SEMI_SPACE_MB = 16;

/** Collections that return memory to the system as soon as little is allocated: a service that has a steady load needs it again at once. */
const growthOptions = [`--heap-growing-percent=${GROWTH_PERCENT}`, "--no-memory-reducer"];

/** Options of Node for processes of the service and of the platform: fewer pauses, for some more memory. Those of this process come after them. */
export const serverHeapOptions = (): string[] => [
  `--min-semi-space-size=${SEMI_SPACE_MB}`,
  ...growthOptions,
  ...process.execArgv,
];

/** Time between two checks whether the process is idle. @units milliseconds */
const IDLE_CHECK_MS = 15_000;
/** Processor time in which a process is idle: the collection, which takes up to 0.1 s, delays nobody. @units 0 to 1, of the elapsed time */
const IDLE_PROCESSOR_TIME = 0.05;
/** Growth of the heap since the last collection that is worth another collection. @units bytes */
const IDLE_GROWTH_BYTES = 16 * 2 ** 20;

const heapBytes = (): number => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

let idleCheck: NodeJS.Timeout | undefined;

/**
 * Collects garbage while the process is idle, which the options above never do: the garbage of a start or a busy time would stay while the
 * process is idle. The timer doesn't keep the process running.
 */
export const collectWhenIdle = (): void => {
  if (idleCheck) return;
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: {
    readonly type: "major";
    readonly flavor: "last-resort";
  }) => void;
  let last = process.cpuUsage();
  let collectedBytes = 0;
  idleCheck = setInterval(() => {
    const { user, system } = process.cpuUsage(last);
    last = process.cpuUsage();
    const isIdle = (user + system) / 1_000 <= IDLE_PROCESSOR_TIME * IDLE_CHECK_MS;
    if (!isIdle || heapBytes() < collectedBytes + IDLE_GROWTH_BYTES) return;
    // Any other flavor keeps free pages for objects to come.
    collect({ type: "major", flavor: "last-resort" });
    collectedBytes = heapBytes();
    last = process.cpuUsage();
  }, IDLE_CHECK_MS).unref();
};

/** The same options for a process that was started without them, as far as a running process can change them. */
export const useServerOptions = (): void => {
  for (const option of growthOptions) setFlagsFromString(option);
  collectWhenIdle();
};
