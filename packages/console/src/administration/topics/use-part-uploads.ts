import type { MessagePart } from "@parley/contract";
import { useRef, useState } from "react";
import { createComposerUploads, type Uploads } from "../../composer/uploads.ts";
import { useEffect } from "../../state/effects.ts";
import { useStore } from "../../state/store.ts";
import { uploadedPart } from "./welcome-parts.ts";

interface PartUploads {
  readonly onAttached: (part: MessagePart) => void;
  /** Called when the first upload begins, and when the last one has ended. */
  readonly onUploading: (isUploading: boolean) => void;
}

/** Uploads pictures and files for a welcome message, like those of a message that an agent writes. */
export const usePartUploads = (callbacks: PartUploads): Uploads => {
  const latest = useRef(callbacks);
  latest.current = callbacks;
  const [uploads] = useState(() => createComposerUploads((part) => latest.current.onAttached(part), uploadedPart));
  const isUploading = useStore(uploads.list).some(({ isRefused = false }) => !isRefused);
  useEffect(() => {
    latest.current.onUploading(isUploading);
  }, [isUploading]);
  useEffect(
    () => () => {
      for (const { id } of uploads.list.get()) uploads.remove(id);
    },
    [uploads],
  );
  return uploads;
};
