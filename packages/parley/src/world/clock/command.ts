import type { Command } from "commander";

export const addClock = (program: Command, exit: (status: number) => void): void => {
  void program;
  void exit;
};
