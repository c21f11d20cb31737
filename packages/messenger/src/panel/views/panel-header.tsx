/** @jsxImportSource preact */
import { visibleName } from "@parley/contract/display";
import type { RefObject } from "preact";
import { authorOf } from "../elements/author.ts";
import { Avatar } from "../elements/avatar.tsx";
import { useDisplay } from "../elements/display.ts";
import { IconButton } from "../elements/icon-button.tsx";
import { Hours } from "../home/hours.tsx";
import { responseTimeText } from "../home/response-time.ts";
import type { PanelState, Thread } from "../model/panel-model.ts";

interface PanelHeaderProps {
  readonly state: PanelState;
  readonly thread: Thread | undefined;
  /** Receives the focus when another place is shown. */
  readonly heading: RefObject<HTMLHeadingElement | null>;
}

const HomeTitle = ({ state, heading }: PanelHeaderProps) => {
  const { texts, site, business } = useDisplay();
  const { configuration } = state;
  return (
    <div class="headerText">
      <div class="business">
        {site.appLogo !== undefined && <Avatar name={business} url={site.appLogo} />}
        <bdi>{business}</bdi>
      </div>
      <h1 ref={heading} tabIndex={-1}>
        {texts.chat}
      </h1>
      <p>{texts.chatHelp}</p>
      {state.phase === "ready" && configuration && <Hours configuration={configuration} />}
    </div>
  );
};

/** Who answers, and the topic. */
const ThreadTitle = ({ state, thread, heading }: PanelHeaderProps) => {
  const display = useDisplay();
  const { business, site } = display;
  const { configuration } = state;
  const topic = configuration?.topics.find(({ id }) => id === thread?.topicId);
  const topicName = visibleName(topic?.name ?? "");
  const agent = thread?.conversation?.agent;
  const who = agent && authorOf(agent, display);
  const title = who?.name ?? (topicName || business);
  // While the business is open, only how long a new conversation usually waits for its first answer.
  const showsHours =
    configuration && (!configuration.is_open || (!thread?.conversation && responseTimeText(configuration, display)));
  const detail = who ? topicName : topicName === "" ? "" : business;
  return (
    <>
      <Avatar name={title} url={who ? who.pictureUrl : (topic?.icon.url ?? site.appLogo)} isLarge />
      <div class="headerText">
        <h1 ref={heading} tabIndex={-1}>
          <bdi>{title}</bdi>
        </h1>
        {detail !== "" && (
          <p class="headerDetail">
            <bdi>{detail}</bdi>
          </p>
        )}
        {configuration && showsHours && <Hours configuration={configuration} isShort />}
      </div>
    </>
  );
};

export const PanelHeader = (props: PanelHeaderProps) => {
  const { texts, actions } = useDisplay();
  const isThread = props.state.place.kind === "thread";
  return (
    <header class={isThread ? "header threadHeader" : "header"}>
      {isThread && <IconButton icon="back" label={texts.back} class="backButton" onClick={() => actions.showHome()} />}
      {isThread ? <ThreadTitle {...props} /> : <HomeTitle {...props} />}
      <IconButton icon="close" label={texts.close} class="closeButton" onClick={() => actions.requestClose()} />
    </header>
  );
};
