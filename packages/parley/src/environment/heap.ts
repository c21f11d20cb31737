import { setFlagsFromString } from "node:v8";

/**
 * The heap of a process may grow to this part above what was in use after the last collection of old objects. @units percent
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
export const serverOptions = (): string[] => [
  `--min-semi-space-size=${SEMI_SPACE_MB}`,
  ...growthOptions,
  ...process.execArgv,
];

/** The same for a process that was started without the options, as far as a running process can change them. */
export const useServerOptions = (): void => {
  for (const option of growthOptions) setFlagsFromString(option);
};
