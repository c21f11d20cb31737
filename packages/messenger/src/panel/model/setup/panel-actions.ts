import type { FromPanel, ReportEvent } from "../../../bridge/bridge.ts";
import { failureOf, VisitorFailure } from "../api/failure.ts";
import type { PanelActions, PanelState, ThreadKey } from "../panel-model.ts";
import type { Store } from "../store.ts";
import { changeThread, topicKey, topicOfKey, withConversation } from "../threads/panel-state.ts";
import type { Visit } from "./visit.ts";

interface PanelActionsDeps {
  readonly state: Store<PanelState>;
  /** -> undefined until the configuration has been read */
  readonly visit: () => Visit | undefined;
  readonly report: ReportEvent;
  readonly send: (message: FromPanel) => void;
  readonly retryStart: () => void;
  readonly agree: () => void;
}

/** @errors VisitorFailure */
const forVisitor = async (work: Promise<unknown> | undefined): Promise<void> => {
  try {
    await work;
  } catch (error) {
    throw new VisitorFailure(failureOf(error, "notDone"), error);
  }
};

const replyTo = (messageId: string | undefined) =>
  messageId === undefined ? {} : { in_reply_to: { message_id: messageId } };

export const createPanelActions = (deps: PanelActionsDeps): PanelActions => {
  const { state, visit, report, send, retryStart, agree } = deps;
  /** Topics whose next message begins a conversation in any case. */
  const anew = new Set<ThreadKey>();

  const show = (key: ThreadKey): void => {
    visit()?.loader.open(key);
    const topicId = state.get().threads.get(key)?.topicId;
    const topic = state.get().configuration?.topics.find(({ id }) => id === topicId)?.name ?? "";
    report("dialog:opened", { success: true, data: { topic } });
  };

  const setDraft = (key: ThreadKey, draft: string): void => {
    visit()?.drafts.set(key, draft);
    state.update((current) => changeThread(current, key, (thread) => ({ ...thread, draft })));
  };

  return {
    showHome() {
      if (state.get().place.kind === "home") return;
      state.update((current) => ({ ...current, place: { kind: "home" } }));
      report("dialog:closed", { success: true, data: null });
    },
    openTopic(topicId) {
      const latest = state.get().conversations.find((each) => each.is_latest && each.topic_id === topicId);
      const isTaking = latest !== undefined && latest.last_message?.restrictResponse !== true;
      if (!isTaking && latest) anew.add(topicKey(topicId));
      show(isTaking ? latest.id : topicKey(topicId));
    },
    beginAnew(topicId) {
      anew.add(topicKey(topicId));
      show(topicKey(topicId));
    },
    openConversation: show,
    loadOlder: (key) => visit()?.loader.loadOlder(key),
    send(key, { text = "", parts = [], inReplyTo, payload }) {
      const message_parts = [...(text === "" ? [] : [{ text: { content: text } }]), ...parts];
      if (message_parts.length === 0) return;
      const content = { message_parts, ...replyTo(inReplyTo), ...(payload !== undefined && { payload }) };
      visit()?.outbox.add(key, content, anew.delete(key));
      visit()?.activity.stoppedTyping(key);
      setDraft(key, "");
    },
    attach(key, files, inReplyTo) {
      for (const file of files) visit()?.outbox.attach(key, file, anew.delete(key), replyTo(inReplyTo));
    },
    discard: (_key, outgoingId) => visit()?.outbox.discard(outgoingId),
    retry: (_key, outgoingId) => visit()?.outbox.retry(outgoingId),
    setDraft(key, text) {
      setDraft(key, text);
      if (text === "") visit()?.activity.stoppedTyping(key);
    },
    typing(key) {
      if (topicOfKey(key) === undefined) visit()?.activity.typing(key);
    },
    read: (key, messageId) => visit()?.activity.read(key, messageId),
    async rate(conversationId, rating) {
      const isUpdate = state.get().conversations.find(({ id }) => id === conversationId)?.is_rated;
      const params = { conversation_id: conversationId };
      await forVisitor(
        visit()
          ?.api.call("rateMessengerConversation", { params, body: rating })
          .then((rated) => state.update((current) => withConversation(current, rated))),
      );
      const data = { conversationId, ...rating };
      report(isUpdate ? "csat:updated" : "csat:received", { success: true, data });
    },
    leaveEmail: (email) => forVisitor(visit()?.session.setProfile({ email })),
    retryStart,
    setPreferences(changes) {
      const preferences = visit()?.preferences.change(changes);
      if (preferences) state.update((current) => ({ ...current, preferences }));
      if (changes.sound === true) visit()?.sound.play();
    },
    describeButton: (button) => send({ button }),
    agree,
    requestClose: () => send({ request: "close" }),
    followed({ url, fileName }) {
      if (fileName === undefined) report("anchorLink:clicked", { success: true, data: { url } });
      else report("download:file", { success: true, data: { url, name: fileName } });
    },
    ratingShown: (conversationId) => report("csat:show", { success: true, data: { conversationId } }),
  };
};
