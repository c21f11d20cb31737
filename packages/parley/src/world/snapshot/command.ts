import type { Command } from "commander";

export const addSnapshot = (program: Command, exit: (status: number) => void): void => {
  void program;
  void exit;
};
