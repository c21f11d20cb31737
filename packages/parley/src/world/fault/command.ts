import type { Command } from "commander";

export const addFault = (program: Command, exit: (status: number) => void): void => {
  void program;
  void exit;
};
