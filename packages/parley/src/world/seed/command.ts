import type { Command } from "commander";

export const addSeed = (program: Command, exit: (status: number) => void): void => {
  void program;
  void exit;
};
