import type { Command } from "commander";

export const addReset = (program: Command, exit: (status: number) => void): void => {
  void program;
  void exit;
};
