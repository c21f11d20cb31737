import { Dialog, DialogTrigger, Popover } from "react-aria-components";
import { IconButton } from "../ui/button.tsx";
import popup from "../ui/popup.module.css";
import { AppView } from "./app-view.tsx";
import { useConsoleApps } from "./console-apps.ts";

/** Buttons of the composer that open apps above it. */
export const EditorApps = ({ conversationId }: { readonly conversationId: string }) =>
  useConsoleApps().flatMap((app) =>
    app.places
      .filter(({ kind }) => kind === "editor")
      .map((place) => (
        <DialogTrigger key={`${app.name} ${place.id}`}>
          <IconButton icon="app" label={app.title} isSmall />
          <Popover className={popup.popover ?? ""} placement="top start">
            <Dialog aria-label={app.title}>
              {({ close }) => <AppView app={app} place={place} conversationId={conversationId} onClose={close} />}
            </Dialog>
          </Popover>
        </DialogTrigger>
      )),
  );
