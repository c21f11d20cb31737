"""Calls a function of the client freshchat-sdk, sync and async, and prints what came as JSON. Arguments: what, address, token, ids."""

import asyncio
import json
import sys

from freshchat import Client
from freshchat.api.conversations import get_conversation, reply_conversation, update_conversation
from freshchat.models import ReplyConversationRequest, UpdateConversationRequest

what, url, token, conversation, *rest = sys.argv[1:]
client = Client(base_url=url, token=token)


def reply(text):
    return ReplyConversationRequest.from_dict(
        {
            "actor_type": "agent",
            "actor_id": rest[0],
            "message_type": "normal",
            "message_parts": [{"text": {"content": text}}],
        }
    )


def call(module, **given):
    """-> the answers of a module's sync and async functions"""
    return [
        module.sync_detailed(client=client, **given),
        asyncio.run(module.asyncio_detailed(client=client, **given)),
    ]


if what == "get":
    answers = call(get_conversation, conversation_id=conversation)
    told = [[int(a.status_code), str(a.parsed.conversation_id), a.parsed.status.value] for a in answers]
elif what == "reply":
    first = reply_conversation.sync_detailed(client=client, conversation_id=conversation, body=reply("Good day"))
    again = asyncio.run(
        reply_conversation.asyncio_detailed(client=client, conversation_id=conversation, body=reply("Good day again"))
    )
    told = [int(first.status_code), int(again.status_code)]
else:
    body = UpdateConversationRequest.from_dict({"status": "resolved"})
    told = [int(answer.status_code) for answer in call(update_conversation, id=conversation, body=body)]
print(json.dumps(told))
