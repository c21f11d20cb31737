/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useDisplay } from "../elements/display.ts";

interface DropAreaProps {
  readonly isEnabled: boolean;
  readonly onFiles: (files: readonly File[]) => void;
  readonly children: ComponentChildren;
}

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes("Files") === true;

/** Takes files that are dropped on the thread. Without it the browser would open them in place of the panel. */
export const DropArea = ({ isEnabled, onFiles, children }: DropAreaProps) => {
  const { texts } = useDisplay();
  const [isOver, setOver] = useState(false);
  return (
    <div
      class="thread"
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        if (event.dataTransfer) event.dataTransfer.dropEffect = isEnabled ? "copy" : "none";
        setOver(isEnabled);
      }}
      onDragLeave={({ relatedTarget, currentTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        if (!hasFiles(event)) return;
        event.preventDefault();
        if (isEnabled) onFiles([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      {children}
      {isOver && <div class="drop">{texts.drop}</div>}
    </div>
  );
};
