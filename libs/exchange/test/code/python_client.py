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
    elif call == "read":
        value = client.objects.read(argument["name"], argument.get("lock"))
        return None if value is None else base64.b64encode(value).decode()
    elif call == "write":
        client.objects.write(argument["name"], base64.b64decode(argument["bytes"]), argument.get("lock"))
    elif call == "lock":
        return client.objects.lock(argument)
    elif call == "unlock":
        client.objects.unlock(argument)
    elif call == "append":
        client.objects.shared_fn(append(**argument), [argument["source"]], [argument["target"]])
    else:
        getattr(client, call)(argument)
    return None


def append(source, target, read, write, text, fails=False):
    def run(objects):
        objects.write(write, (objects.read(read) or b"") + text.encode())
        if fails:
            raise ExchangeError("The function fails.")

    return run


for line in sys.stdin:
    request = json.loads(line)
    try:
        result = {"result": carry_out(request["call"], request["argument"])}
    except ExchangeError as error:
        result = {"error": str(error), "unreachable": isinstance(error, UnreachableError)}
    if client:
        result.update(edge=client.edge, topics=client.topics, missed=client.missed)
    print(json.dumps(result), flush=True)
