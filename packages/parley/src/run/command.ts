import type { Command } from "commander";

export const addRun = (program: Command, exit: (status: number) => void): void => {
  void program;
  void exit;
};
