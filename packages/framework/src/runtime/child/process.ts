import { refuse, replace } from "./refusal.ts";

/** Members of `process` that reach other processes, native code, the machine or the way out. */
const GONE = [
  ..."kill _kill binding _linkedBinding dlopen _debugProcess _debugEnd _startProfilerIdleNotifier".split(" "),
  ..."_stopProfilerIdleNotifier getBuiltinModule reallyExit abort chdir umask mainModule _getActiveHandles".split(" "),
  ..."_getActiveRequests getActiveResourcesInfo openStdin setuid setgid seteuid setegid setgroups initgroups".split(
    " ",
  ),
  ..."report loadEnvFile setSourceMapsEnabled execve send disconnect channel _preload_modules".split(" "),
];

/** Takes from `process` what an app has no use for. */
export const closeProcess = () => {
  const blank = { ppid: 0, argv: ["node"], execArgv: [], execPath: "node" };
  for (const [name, value] of Object.entries(blank)) replace(process, name, value);
  for (const name of GONE) replace(process, name, undefined);
  replace(process, "exit", refuse("Ending the process"));
};
