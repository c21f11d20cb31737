import type { Command } from "commander";

export const addInit = (program: Command, exit: (status: number) => void): void => {
  void program;
  void exit;
};
