import type { ConsoleApp } from "@parley/contract";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { intercept } from "../composer/interceptors.ts";
import { client } from "../session/session.ts";
import { useEffect } from "../state/effects.ts";
import { useWorkspace } from "../workspace/workspace.ts";
import styles from "./apps.module.css";
import { AppStopped, createAppFrame, type AppFrame } from "./embedding/index.ts";
import { createFrameHandlers } from "./frame-handlers.ts";
import { appsMessages as texts } from "./messages.ts";

interface AppViewProps {
  readonly app: ConsoleApp;
  readonly place: ConsoleApp["places"][number];
  /** The open conversation, or undefined. */
  readonly conversationId?: string;
  /** Fills the page and ignores the height that the app asks for. */
  readonly isFullHeight?: boolean;
  readonly onClose?: () => void;
}

/** @units pixels */
const INITIAL_HEIGHT = 300;

/** -> the app's reason against an action; undefined: it allows the action */
const reasonOf = async (decision: Promise<void>, title: string): Promise<string | undefined> => {
  try {
    await decision;
    return undefined;
  } catch (error) {
    if (error instanceof AppStopped) return texts.stoppedBy(title, error.message);
    throw error;
  }
};

/** Lets the app decide about messages and resolutions of the open conversation. -> the function that ends it */
const interceptActions = (frame: AppFrame, title: string): (() => void) => {
  const ends = [
    intercept("send", ({ text, isPrivate }) =>
      reasonOf(frame.intercept("conversation.onSendMessage", { message: text, isPrivateNote: isPrivate }), title),
    ),
    intercept("resolve", ({ conversationId }) =>
      reasonOf(frame.intercept("conversation.onResolveClick", { conversation: conversationId }), title),
    ),
  ];
  return () => {
    for (const end of ends) end();
  };
};

/** A place of an app in its own frame. */
export const AppView = ({ app, place, conversationId, isFullHeight = false, onClose }: AppViewProps) => {
  const navigate = useNavigate();
  const { agent } = useWorkspace();
  const container = useRef<HTMLDivElement>(null);
  const frame = useRef<AppFrame>(undefined);
  const latest = useRef({ navigate, onClose });
  latest.current = { navigate, onClose };
  const [height, setHeight] = useState(INITIAL_HEIGHT);
  const [failure, setFailure] = useState<string>();

  useEffect(() => {
    if (!container.current) return undefined;
    const created = createAppFrame({
      app,
      place,
      container: container.current,
      requestTicket: async () => (await client.appTickets.issueAppTicket({ params: { name: app.name } })).ticket,
      handlers: createFrameHandlers(app, {
        resize: setHeight,
        close: () => latest.current.onClose?.(),
        failed: setFailure,
        openConversation: (id) =>
          void latest.current.navigate({ to: "/conversations/$conversationId", params: { conversationId: id } }),
      }),
    });
    frame.current = created;
    created.activate();
    const endInterception = interceptActions(created, app.title);
    return () => {
      endInterception();
      created.destroy();
    };
    // A list that is read again has the same apps as other objects.
  }, [app.name, app.origin, place.id]);

  useEffect(() => {
    frame.current?.open(conversationId, agent.agent_id);
  }, [conversationId, agent.agent_id, app.name, app.origin, place.id]);

  return (
    <>
      {failure !== undefined && (
        <p role="alert" className={styles.failure}>
          {texts.failed(app.title, failure)}
        </p>
      )}
      <div
        ref={container}
        className={place.kind === "background" ? styles.background : styles.frame}
        style={isFullHeight || place.kind === "background" ? undefined : { height }}
      />
    </>
  );
};
