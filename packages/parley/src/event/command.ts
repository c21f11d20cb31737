import type { Command } from "commander";

export const addEvent = (program: Command, exit: (status: number) => void): void => {
  void program;
  void exit;
};
