import type { Architecture, SystemCall } from "./system-calls.ts";

/** Capabilities of a confined program that affect its system calls. */
interface FilterOptions {
  /** Whether the program opens connections. */
  readonly hasNetwork: boolean;
  /** Whether the program starts further programs and changes modes and times of its writable files. */
  readonly isTool: boolean;
}

/** System calls that no program of an app needs: they concern other processes, the kernel, mounts, keys, the clock and shared memory. */
const DENIED_CALLS: readonly SystemCall[] = [
  "acct",
  "add_key",
  "adjtimex",
  "bpf",
  "chroot",
  "clock_adjtime",
  "clock_settime",
  "delete_module",
  "fanotify_init",
  "finit_module",
  "fsconfig",
  "fsmount",
  "fsopen",
  "fspick",
  "init_module",
  "inotify_add_watch",
  "ioperm",
  "iopl",
  "ioprio_set",
  "kcmp",
  "kexec_file_load",
  "kexec_load",
  "keyctl",
  "landlock_add_rule",
  "landlock_create_ruleset",
  "landlock_restrict_self",
  "migrate_pages",
  "mknod",
  "mknodat",
  "modify_ldt",
  "mount",
  "mount_setattr",
  "move_mount",
  "move_pages",
  "mq_open",
  "msgget",
  "name_to_handle_at",
  "open_by_handle_at",
  "open_tree",
  "perf_event_open",
  "personality",
  "pidfd_getfd",
  "pidfd_open",
  "pidfd_send_signal",
  "pivot_root",
  "process_madvise",
  "process_mrelease",
  "process_vm_readv",
  "process_vm_writev",
  "ptrace",
  "quotactl",
  "reboot",
  "request_key",
  "rt_sigqueueinfo",
  "rt_tgsigqueueinfo",
  "semget",
  "setdomainname",
  "sethostname",
  "setns",
  "setpriority",
  "settimeofday",
  "shmat",
  "shmget",
  "swapoff",
  "swapon",
  "syslog",
  "tkill",
  "umount2",
  "unshare",
  "userfaultfd",
  "vhangup",
];
/** Refused with ENOSYS, upon which callers fall back to older calls. */
const UNAVAILABLE_CALLS: readonly SystemCall[] = ["io_uring_enter", "io_uring_register", "io_uring_setup"];
const NETWORK_CALLS: readonly SystemCall[] = ["accept", "accept4", "bind", "connect", "listen", "sendmmsg", "socket"];
/** Refused except for tools, since Landlock covers neither modes, owners, times and attributes of files nor, in older versions, signals. */
const TOOL_CALLS: readonly SystemCall[] = [
  "chmod",
  "chown",
  "fchmod",
  "fchmodat",
  "fchmodat2",
  "fchown",
  "fchownat",
  "fork",
  "fremovexattr",
  "fsetxattr",
  "futimesat",
  "kill",
  "lchown",
  "lremovexattr",
  "lsetxattr",
  "memfd_create",
  "removexattr",
  "setxattr",
  "tgkill",
  "truncate",
  "utime",
  "utimensat",
  "utimes",
  "vfork",
];

/** Refused unless their first argument, the id of a process, is 0 and means the caller: they change limits and scheduling. */
const OWN_PROCESS_CALLS: readonly SystemCall[] = [
  "prlimit64",
  "sched_setaffinity",
  "sched_setattr",
  "sched_setparam",
  "sched_setscheduler",
];
/** Commands in the second argument that let a descriptor send signals to another process: `F_SETOWN`, `F_SETSIG` and `F_SETOWN_EX`; `FIOSETOWN` and `SIOCSPGRP`. */
const SIGNAL_COMMANDS: Readonly<Partial<Record<SystemCall, readonly number[]>>> = {
  fcntl: [8, 10, 15],
  ioctl: [0x8901, 0x8902],
};

const ALLOW = 0x7fff0000;
const REFUSE = 0x00050000;
const KILL = 0x80000000;
const EPERM = 1;
const ENOSYS = 38;
const CLONE_THREAD = 0x00010000;
/** All `CLONE_NEW…` flags. */
const CLONE_NAMESPACES = 0x7e020080;

/** Instruction codes of classic BPF. */
const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;
/** Offsets in `struct seccomp_data`. @units bytes */
const CALL_NUMBER = 0;
const CALL_ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;
const SECOND_ARGUMENT = 24;

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number];

/** A decision by one argument, of which the filter compares the lower 32 bits, as the kernel uses them. */
interface ArgumentRule {
  readonly call: SystemCall;
  /** @units bytes */
  readonly argument: number;
  readonly values: readonly number[];
  /** Whether the call is refused with these values, and permitted with all others; or else the reverse. */
  readonly isRefused: boolean;
}

const APP_ARGUMENT_RULES: readonly ArgumentRule[] = [
  ...OWN_PROCESS_CALLS.map((call) => ({ call, argument: FIRST_ARGUMENT, values: [0], isRefused: false })),
  ...(Object.entries(SIGNAL_COMMANDS) as [SystemCall, readonly number[]][]).map(([call, values]) => ({
    call,
    argument: SECOND_ARGUMENT,
    values,
    isRefused: true,
  })),
];

/** System calls that a filter refuses. */
interface Refusals {
  readonly refused: readonly SystemCall[];
  /** Refused with ENOSYS, so that callers fall back to older calls. */
  readonly absent?: readonly SystemCall[];
  readonly byArgument?: readonly ArgumentRule[];
  /** Whether `clone` may not create namespaces. */
  readonly blocksNamespaces?: boolean;
  /** Whether `clone` may not create processes. */
  readonly blocksProcesses?: boolean;
}

/** @shape the array of `struct sock_filter` in little-endian byte order */
export function refusingFilter(architecture: Architecture, refusals: Refusals): Buffer {
  const { refused, absent = [], byArgument = [], blocksNamespaces = false, blocksProcesses = false } = refusals;
  const { audit, numberOf, secondAbiFrom } = architecture;
  const refusing = (call: SystemCall, error: number): Instruction[] => {
    const number = numberOf(call);
    if (number === undefined) return [];
    return [
      [JUMP_EQUAL, 0, 1, number],
      [RETURN, 0, 0, REFUSE | error],
    ];
  };
  const decide = ({ call, argument, values, isRefused }: ArgumentRule): Instruction[] => {
    const number = numberOf(call);
    if (number === undefined) return [];
    const [match, other] = isRefused ? [REFUSE | EPERM, ALLOW] : [ALLOW, REFUSE | EPERM];
    const body: Instruction[] = [
      [LOAD, 0, 0, argument],
      ...values.flatMap((value): Instruction[] => [
        [JUMP_EQUAL, 0, 1, value],
        [RETURN, 0, 0, match],
      ]),
      [RETURN, 0, 0, other],
    ];
    return [[JUMP_EQUAL, 0, body.length, number], ...body];
  };
  const secondAbi: Instruction[] =
    secondAbiFrom === undefined
      ? []
      : [
          [JUMP_AT_LEAST, 0, 1, secondAbiFrom],
          [RETURN, 0, 0, KILL],
        ];
  const instructions: Instruction[] = [
    [LOAD, 0, 0, CALL_ARCHITECTURE],
    [JUMP_EQUAL, 1, 0, audit],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, CALL_NUMBER],
    ...secondAbi,
    ...refused.flatMap((call) => refusing(call, EPERM)),
    ...absent.flatMap((call) => refusing(call, ENOSYS)),
    ...byArgument.flatMap(decide),
    // `clone3` passes its flags in memory, which a filter cannot read. With ENOSYS the C library falls back to `clone`, whose flags are an argument.
    ...(blocksNamespaces || blocksProcesses ? refusing("clone3", ENOSYS) : []),
    [JUMP_EQUAL, 0, 4, numberOf("clone") ?? 0],
    [LOAD, 0, 0, FIRST_ARGUMENT],
    [JUMP_ANY_BIT, blocksNamespaces ? 1 : 0, 0, CLONE_NAMESPACES],
    [JUMP_ANY_BIT, 1, blocksProcesses ? 0 : 1, CLONE_THREAD],
    [RETURN, 0, 0, REFUSE | EPERM],
    [RETURN, 0, 0, ALLOW],
  ];
  const filter = Buffer.alloc(instructions.length * 8);
  instructions.forEach(([code, whenTrue, whenFalse, value], index) => {
    filter.writeUInt16LE(code, index * 8);
    filter.writeUInt8(whenTrue, index * 8 + 2);
    filter.writeUInt8(whenFalse, index * 8 + 3);
    filter.writeUInt32LE(value >>> 0, index * 8 + 4);
  });
  return filter;
}

/** Filter for an app's code, or for a tool of Parley that processes an app's files. */
export const seccompFilter = (architecture: Architecture, { hasNetwork, isTool }: FilterOptions): Buffer =>
  refusingFilter(architecture, {
    refused: [...DENIED_CALLS, ...(hasNetwork ? [] : NETWORK_CALLS), ...(isTool ? [] : TOOL_CALLS)],
    absent: UNAVAILABLE_CALLS,
    byArgument: APP_ARGUMENT_RULES,
    blocksNamespaces: true,
    blocksProcesses: !isTool,
  });
