import type { Command } from "commander";

export const addTest = (program: Command, exit: (status: number) => void): void => {
  void program;
  void exit;
};
