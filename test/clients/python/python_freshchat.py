"""Uses the functions of the client. Arguments: what to do, the API's address, the token, and what that takes; an event comes by the
standard input. Prints the answer as JSON."""

import asyncio
import dataclasses
import json
import logging
import sys
import types


class LoggedObject:
    """Stands in for the class that the client takes from another package."""

    logger = logging.getLogger("client")


package, module = types.ModuleType("cafeteria"), types.ModuleType("cafeteria.logging")
module.LoggedObject = LoggedObject
sys.modules.update({"cafeteria": package, "cafeteria.logging": module})
try:
    import Crypto
except ImportError:
    # Debian names the package otherwise than its authors do.
    import Cryptodome.Hash.SHA256, Cryptodome.PublicKey.RSA, Cryptodome.Signature.PKCS1_v1_5

    for name in [each for each in sys.modules if each.startswith("Cryptodome")]:
        sys.modules["Crypto" + name[len("Cryptodome") :]] = sys.modules[name]

from freshchat.client.client import FreshChatClient
from freshchat.client.configuration import FreshChatConfiguration
from freshchat.client.exceptions import FreshChatClientException
from freshchat.models import Channels, Conversation, User
from freshchat.models.events import IncomingEvent
from freshchat.webhook.security import SecurityManager


async def use(what, client, args):
    if what == "create-user":
        return await User.create(client, first_name="Maria", email="maria@customer.example")
    if what == "get-user":
        return await User.get(client, args[0])
    if what == "create":
        return await Conversation.create(client, user_id=args[0], channel_id=args[1], init_message="From Python")
    if what == "channels":
        return [dataclasses.asdict(one) if dataclasses.is_dataclass(one) else one for one in await Channels.get(client)]
    if what == "unknown":
        try:
            await User.get(client, "8d3a9bd1-0000-4000-8000-000000000000")
        except FreshChatClientException as error:
            return {"error": type(error).__name__, "message": error.message}
        return {}
    conversation = await Conversation.get(client, args[0], args[1])
    if what == "send":
        return await conversation.send(client, "More")
    if what == "resolve":
        return await conversation.resolve(client)
    return conversation


def main():
    what, url, token, *args = sys.argv[1:]
    if what == "event":
        answer = IncomingEvent(**json.load(sys.stdin))
    elif what == "verify":
        answer = {"holds": bool(SecurityManager(args[1]).verify_signature(args[0], sys.stdin.buffer.read()))}
    else:
        client = FreshChatClient(FreshChatConfiguration(app_id="app", token=token, url=url))
        answer = asyncio.run(use(what, client, args))
    print(json.dumps(dataclasses.asdict(answer) if dataclasses.is_dataclass(answer) else answer))


main()
