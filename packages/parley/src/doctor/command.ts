import type { Command } from "commander";

export const addDoctor = (program: Command, exit: (status: number) => void): void => {
  void program;
  void exit;
};
