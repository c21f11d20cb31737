/** Processor time of this process and of its descendants that have ended. */
import { readFileSync } from "node:fs";

/** Ticks of the kernel's accounting in a second, on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;
/** Places of `cutime` and `cstime` among the words after the name of the program. */
const OF_CHILDREN = [13, 14];

/** Children count when their parent has waited for them. Systems without /proc give the time of this process only. @units seconds */
export const processorSeconds = () => {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1e6;
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    const words = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return own + OF_CHILDREN.reduce((sum, place) => sum + Number(words[place]), 0) / TICKS_PER_SECOND;
  } catch {
    return own;
  }
};
