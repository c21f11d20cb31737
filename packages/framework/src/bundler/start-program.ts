import { spawn, type ChildProcess } from "node:child_process";

/** Bounds that the operating system keeps for each process of a program. */
export interface ProgramLimits {
  readonly dataMb: number;
  readonly openFiles: number;
  readonly processorSeconds: number;
  readonly fileMb: number;
}

export interface ToolProgram {
  readonly args: readonly string[];
  readonly readOnly?: readonly string[];
  readonly writable?: readonly string[];
  readonly network?: boolean;
  readonly isTool?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  readonly limits: ProgramLimits;
  readonly user?: { readonly uid: number; readonly gid: number };
}
export type StartTool = (program: ToolProgram) => ChildProcess;

export const startPlain: StartTool = ({ args, environment = {} }) =>
  spawn(process.execPath, args, { cwd: "/", env: { ...environment }, stdio: ["pipe", "pipe", "pipe", "pipe"] });

export const endProgram = (child: ChildProcess): void => {
  child.stdio[3]?.destroy();
  child.kill("SIGKILL");
};
