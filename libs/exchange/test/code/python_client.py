"""A Python client that carries out what the tests ask for: a JSON object on each line, an answer on each line."""

import base64
import json
import sys

from hivemind_exchange import ExchangeClient, ExchangeError, UnreachableError

client = None


def carry_out(call, argument):
    global client
    if call == "connect":
        client = ExchangeClient(**argument)
    elif call == "publish":
        client.publish(argument["topic"], base64.b64decode(argument["bytes"]))
    elif call == "getMessages":
        messages = client.get_messages(argument["topic"], argument.get("max", 1000), argument.get("waitMs", 0) / 1000)
        return [[each.number, base64.b64encode(each.bytes).decode()] for each in messages]
    else:
        getattr(client, call)(argument)
    return None


for line in sys.stdin:
    request = json.loads(line)
    try:
        result = {"result": carry_out(request["call"], request["argument"])}
    except ExchangeError as error:
        result = {"error": str(error), "unreachable": isinstance(error, UnreachableError)}
    if client:
        result.update(edge=client.edge, topics=client.topics, missed=client.missed)
    print(json.dumps(result), flush=True)
