/** Runs an image with crun under the restrictions that container engines set by default. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run, start } from "./tools.mjs";

const CRUN_SCRIPT = fileURLToPath(new URL("crun.sh", import.meta.url));
/** Capabilities that Docker leaves to a container. For users other than root they count as an upper bound only. */
const BOUNDING = [
  ...["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "NET_RAW", "SETFCAP", "SETGID"],
  ...["SETPCAP", "SETUID", "SYS_CHROOT", "AUDIT_WRITE"],
].map((name) => `CAP_${name}`);
const HIDDEN = ["acpi", "kcore", "keys", "latency_stats", "timer_list", "sched_debug", "scsi"].map(
  (name) => `/proc/${name}`,
);
const UNCHANGEABLE = ["bus", "fs", "irq", "sys", "sysrq-trigger"].map((name) => `/proc/${name}`);

const applies = ({ caps = [], arches = [] } = {}, whenEmpty) =>
  caps.length + arches.length === 0
    ? whenEmpty
    : caps.some((name) => BOUNDING.includes(name)) || arches.includes("amd64");

/** An engine's profile for this processor and these capabilities, in the form that runtimes read. */
const runtimeProfile = ({ defaultAction, defaultErrnoRet, syscalls }) => ({
  defaultAction,
  ...(defaultErrnoRet !== undefined && { defaultErrnoRet }),
  architectures: ["SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32"],
  syscalls: syscalls
    .filter(({ includes, excludes }) => applies(includes, true) && !applies(excludes, false))
    .map(({ names, action, args, errnoRet }) => ({
      names,
      action,
      ...(args?.length && { args }),
      ...(errnoRet !== undefined && { errnoRet }),
    })),
});

const mountOf = (destination, type, source, ...options) => ({ destination, type, source, options });

const configuration = ({ settings, rootFolder, network, data, files, profile, args }) => {
  const [uid, gid] = settings.User.split(":").map(Number);
  const bind = ([from, to]) => mountOf(to, "bind", from, "rbind", "ro");
  return {
    ociVersion: "1.0.2",
    process: {
      user: { uid, gid },
      args,
      env: settings.Env,
      cwd: settings.WorkingDir,
      capabilities: { bounding: BOUNDING, effective: [], inheritable: [], permitted: [], ambient: [] },
      noNewPrivileges: true,
    },
    root: { path: rootFolder, readonly: true },
    hostname: "parley",
    mounts: [
      mountOf("/proc", "proc", "proc"),
      mountOf("/dev", "tmpfs", "tmpfs", "nosuid", "strictatime", "mode=755", "size=65536k"),
      mountOf("/dev/pts", "devpts", "devpts", "nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"),
      mountOf("/dev/shm", "tmpfs", "shm", "nosuid", "noexec", "nodev", "mode=1777", "size=65536k"),
      mountOf("/tmp", "tmpfs", "tmpfs", "nosuid", "nodev", "mode=1777"),
      mountOf("/sys", "sysfs", "sysfs", "nosuid", "noexec", "nodev", "ro"),
      mountOf("/data", "bind", data, "rbind", "rw"),
      ...files.map(bind),
    ],
    linux: {
      namespaces: [
        ...["pid", "ipc", "uts", "mount"].map((type) => ({ type })),
        { type: "network", path: `/run/netns/${network}` },
      ],
      maskedPaths: HIDDEN,
      readonlyPaths: UNCHANGEABLE,
      seccomp: runtimeProfile(profile),
    },
  };
};

/** Starts a container. @shape options: see `configuration`; args: its command */
export function startContainer(name, base, options) {
  const bundle = join(base, name);
  mkdirSync(bundle, { recursive: true });
  writeFileSync(join(bundle, "config.json"), JSON.stringify(configuration(options)));
  const crun = ["unshare", "--mount", "--propagation", "private", "sh", CRUN_SCRIPT, "--root", join(base, "crun")];
  const started = start([...crun, "run", "--bundle", bundle, name]);
  return {
    ...started,
    /** Runs a command in the container, as its user. -> standard output @errors DeploymentFailure */
    execute: (words, variables = []) =>
      run([...crun, "exec", ...variables.flatMap((each) => ["--env", each]), name, ...words]),
    signal: (signal) => run([...crun, "kill", name, signal]),
  };
}
