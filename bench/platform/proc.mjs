/** Processes and their memory, read from /proc (Linux). */
import { readdirSync, readFileSync } from "node:fs";

const read = (path) => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
};

const parents = () =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const text = read(`/proc/${name}/stat`);
      return text === ""
        ? []
        : [{ pid: Number(name), parent: Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]) }];
    });

const kilobytes = (text, name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? NaN);
const megabytes = (value) => value / 1_024;

/** Resident memory of a process. @units megabytes */
export const residentOf = (pid) => megabytes(kilobytes(read(`/proc/${pid}/status`), "VmRSS"));

/** Proportional and resident memory of a process. @shape NaN where the kernel doesn't permit it @units megabytes */
const memoryOf = (pid) => {
  const text = read(`/proc/${pid}/smaps_rollup`);
  return { pss: megabytes(kilobytes(text, "Pss")), rss: megabytes(kilobytes(text, "Rss")) };
};

/**
 * The processes of apps below a platform process: each is the tree of one direct child.
 * @shape `[{ pid, pss, rss }]`; pss: of the tree, with the wrapper of the isolation; rss: of its largest process
 */
export const appProcessesOf = (platformPid) => {
  const all = parents();
  const below = (one) => all.filter(({ parent }) => parent === one).flatMap(({ pid }) => [pid, ...below(pid)]);
  return all
    .filter(({ parent, pid }) => parent === platformPid && !read(`/proc/${pid}/cmdline`).includes("esbuild"))
    .map(({ pid }) => {
      const tree = [pid, ...below(pid)].map(memoryOf);
      return {
        pid,
        pss: tree.reduce((sum, { pss }) => sum + (pss || 0), 0),
        rss: Math.max(...tree.map(({ rss }) => rss || 0)),
      };
    });
};
