import type { ConsoleApp } from "@parley/contract";
import { Picture } from "../pictures/picture.tsx";
import { AppQuestionDialog } from "./app-question-dialog.tsx";
import { AppView } from "./app-view.tsx";
import styles from "./apps.module.css";
import { useConsoleApps } from "./console-apps.ts";

/** Kinds of places that belong to an open conversation, in the order in which they are shown. */
const BESIDE_CONVERSATION: readonly ConsoleApp["places"][number]["kind"][] = ["sidebar", "background"];

/** Apps of the sidebar beside a conversation, and those that run unseen while it is open. */
export const AppsPanel = ({ conversationId }: { readonly conversationId: string }) => {
  const shown = useConsoleApps().flatMap((app) =>
    app.places.filter(({ kind }) => BESIDE_CONVERSATION.includes(kind)).map((place) => ({ app, place })),
  );
  return (
    <>
      {shown.map(({ app, place }) =>
        place.kind === "background" ? (
          <AppView key={`${app.name} ${place.id}`} app={app} place={place} conversationId={conversationId} />
        ) : (
          <section key={`${app.name} ${place.id}`} className={styles.app} aria-label={app.title}>
            <h3 className={styles.title}>
              {place.icon_url !== undefined && (
                <Picture src={place.icon_url} source={undefined} alt="" className={styles.icon} />
              )}
              {app.title}
            </h3>
            <AppView app={app} place={place} conversationId={conversationId} />
          </section>
        ),
      )}
      <AppQuestionDialog />
    </>
  );
};
