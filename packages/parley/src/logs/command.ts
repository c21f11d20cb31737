import type { Command } from "commander";

export const addLogs = (program: Command, exit: (status: number) => void): void => {
  void program;
  void exit;
};
