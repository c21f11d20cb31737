import { saveOpenDrafts } from "../composer/open-drafts.ts";
import { endSession } from "../session/session.ts";
import { createStore, useStore } from "../state/store.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { dropUnsaved, unsavedPlaces } from "../unsaved/unsaved-store.ts";
import { appMessages as texts } from "./messages.ts";

/** Places of text that signing out would delete; undefined while the agent is not asked. */
const lostPlaces = createStore<readonly string[] | undefined>(undefined);

/**
 * Signs out: drafts are saved by the service first, so that nothing that was typed stays in a browser that others may use. Text that can't be
 * saved, such as an unsent message or a form, is deleted after a question only.
 */
export const signOut = async (): Promise<void> => {
  await saveOpenDrafts();
  const places = unsavedPlaces();
  if (places.length === 0) await endSession();
  else lostPlaces.set(places);
};

/** Asks whether what could not be saved may be deleted. */
export const SignOutQuestion = () => {
  const places = useStore(lostPlaces);
  if (!places) return undefined;
  return (
    <ConfirmDialog
      title={texts.unsavedTitle}
      text={texts.unsavedText(places.length)}
      action={texts.deleteAndSignOut}
      run={() => {
        for (const place of unsavedPlaces()) dropUnsaved(place);
        return endSession();
      }}
      onClose={() => lostPlaces.set(undefined)}
    />
  );
};
