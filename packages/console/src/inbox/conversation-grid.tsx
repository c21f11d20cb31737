import { useRouter } from "@tanstack/react-router";
import { useVirtualizer, defaultRangeExtractor, type Range } from "@tanstack/react-virtual";
import { useCallback, useMemo, useRef } from "react";
import { Button } from "../ui/button.tsx";
import { uiMessages } from "../ui/messages.ts";
import { createNames, useWorkspace } from "../workspace/workspace.ts";
import styles from "./conversation-grid.module.css";
import type { InboxList } from "./inbox-list.ts";
import { ListRow, type RowActions } from "./list-row.tsx";
import { inboxMessages as texts } from "./messages.ts";
import { NewConversations } from "./new-conversations.tsx";
import type { InboxAddress } from "./use-inbox-address.ts";
import { useDraftTexts } from "./use-draft-texts.ts";
import { useGridKeys } from "./use-grid-keys.ts";
import { useGridFocus } from "./use-grid-focus.ts";
import { useListLoading } from "./use-list-loading.ts";
import { useRowHeight } from "./use-row-height.ts";
import type { SelectionActions } from "./use-selection.ts";
import { useStableScroll } from "./use-stable-scroll.ts";

const OVERSCAN = 6;
const PLACEHOLDER_ROWS = 1;

interface ConversationGridProps {
  readonly address: InboxAddress;
  readonly list: InboxList;
  readonly label: string;
  readonly selection: SelectionActions;
}

/** The conversations of a view. Only rows near the visible rows are in the document. */
export const ConversationGrid = ({ address, list, label, selection }: ConversationGridProps) => {
  const { items, rowsAbove, end, total } = list;
  const { filter, order, search, conversationId } = address;
  const workspace = useWorkspace();
  const router = useRouter();
  const names = useMemo(() => createNames(workspace), [workspace]);
  const drafts = useDraftTexts();
  const element = useRef<HTMLDivElement>(null);
  const rowHeight = useRowHeight();
  const firstShown = useRef(0);
  const focus = useGridFocus(element, list, { openId: conversationId, firstShown: firstShown.current });
  const activeRow = rowsAbove + focus.activeIndex;

  const virtualizer = useVirtualizer({
    count: rowsAbove + items.length + (end ? PLACEHOLDER_ROWS : 0),
    getScrollElement: () => element.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    // The row that has the focus stays in the document.
    rangeExtractor: useCallback(
      (range: Range) => [...new Set([activeRow, ...defaultRangeExtractor(range)])].sort((one, other) => one - other),
      [activeRow],
    ),
  });
  const shown = virtualizer.range;
  const first = shown?.startIndex ?? 0;
  const last = shown?.endIndex ?? 0;
  firstShown.current = first;
  const loading = useListLoading({ list, filter, order, first, last });
  const newCount = useStableScroll(element, list, rowHeight);
  const reveal = (index: number): void => virtualizer.scrollToIndex(rowsAbove + index);
  const onKeyDown = useGridKeys({ address, list, selection, focus, reveal, pageRows: Math.max(1, last - first - 1) });

  const latest = useRef({ address, list, selection, focus });
  latest.current = { address, list, selection, focus };
  const actions = useMemo((): RowActions => {
    const now = () => latest.current;
    return {
      open(id, event) {
        // A new tab or window is the browser's business.
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        if (event.shiftKey) now().selection.extend(now().list.items, now().focus.activeId ?? id, id);
        else now().address.open(id);
        now().focus.moveTo(id);
      },
      toggle: (item) => now().selection.toggle(item),
      focus: (id) => now().focus.noteActive(id),
    };
  }, []);
  const hrefOf = useCallback(
    (id: string): string =>
      router.buildLocation({ to: "/conversations/$conversationId", params: { conversationId: id }, search }).href,
    [router, search],
  );

  return (
    <div className={styles.frame}>
      <NewConversations count={newCount} element={element} address={address} hasRowsAbove={rowsAbove > 0} />
      <div
        ref={element}
        role="grid"
        className={styles.grid}
        aria-label={label}
        aria-rowcount={total}
        aria-multiselectable
        onKeyDown={onKeyDown}
      >
        <div role="presentation" className={styles.rows} style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, start: top }) => {
            const item = items[index - rowsAbove];
            if (!item)
              return (
                <div
                  key={`row ${index}`}
                  className={styles.placeholder}
                  style={{ transform: `translateY(${top}px)` }}
                />
              );
            const { conversation_id: id } = item;
            return (
              <ListRow
                key={id}
                item={item}
                rowIndex={index + 1}
                top={top}
                isActive={index === activeRow}
                isSelected={selection.ids.has(id)}
                isOpen={id === conversationId}
                draft={drafts.get(id)}
                names={names}
                hrefOf={hrefOf}
                actions={actions}
              />
            );
          })}
        </div>
      </div>
      {loading.error !== undefined && (
        <p className={styles.failed} role="alert">
          {texts.notLoaded}
          <Button isSmall onPress={loading.retry}>
            {uiMessages.retry}
          </Button>
        </p>
      )}
    </div>
  );
};
