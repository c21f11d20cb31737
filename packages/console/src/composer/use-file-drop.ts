import { useState, type DragEvent } from "react";

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes("Files");

/** Receives files that are dropped on an element. -> whether files are above it, and the element's handlers */
export const useFileDrop = (onFiles: (files: readonly File[]) => void) => {
  /** The element and its children entered, less those left. */
  const [depth, setDepth] = useState(0);
  return {
    isOver: depth > 0,
    handlers: {
      onDragEnter: (event: DragEvent) => hasFiles(event) && setDepth((present) => present + 1),
      onDragLeave: (event: DragEvent) => hasFiles(event) && setDepth((present) => Math.max(0, present - 1)),
      onDragOver: (event: DragEvent) => hasFiles(event) && event.preventDefault(),
      onDrop: (event: DragEvent) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setDepth(0);
        onFiles([...event.dataTransfer.files]);
      },
    },
  };
};
