"""A Python client that carries out what the tests ask for: a JSON object on each line, an answer on each line."""

import base64
import json
import sys
import time

from hivemind_exchange import ExchangeClient, ExchangeError

client = None


def text_of(value):
    return None if value is None else base64.b64encode(value).decode()


def carry_out(call, argument):
    global client
    if call == "connect":
        client = ExchangeClient(**argument)
    elif call == "publish":
        client.publish(argument["topic"], base64.b64decode(argument["bytes"]))
    elif call == "getMessages":
        messages = client.get_messages(argument["topic"], argument.get("max", 1000), argument.get("waitMs", 0) / 1000)
        return [[each.number, base64.b64encode(each.bytes).decode()] for each in messages]
    elif call == "messages":
        topic, count, publishes = argument["topic"], argument["count"], argument.get("publishes", 0)
        seen = []
        messages = client.messages(topic, argument["waitMs"] / 1000)
        while len(seen) < count:
            message = next(messages, None)
            if message is None:
                break
            seen.append([message.number, base64.b64encode(message.bytes).decode()])
            if publishes > 0:
                # The subscriber itself, while it deals with a message.
                publishes -= 1
                client.publish(topic, b"own")
            if argument.get("unsubscribes"):
                client.unsubscribe(topic)
        return seen
    elif call == "read":
        value = client.objects.read(argument["name"], argument.get("lock"))
        return text_of(value)
    elif call == "write":
        client.objects.write(argument["name"], base64.b64decode(argument["bytes"]), argument.get("lock"))
    elif call == "remove":
        client.objects.remove(argument["name"], argument.get("lock"))
    elif call == "eventualRemove":
        client.objects.eventual(argument["name"]).remove()
    elif call == "lock":
        return client.objects.lock(argument)
    elif call == "unlock":
        client.objects.unlock(argument)
    elif call == "eventualOpen":
        recency = argument.get("recencyMs")
        opened = client.objects.eventual(argument["name"], argument.get("merge"), None if recency is None else recency / 1000)
        return {"merge": opened.merge, "recencyMs": round(opened.recency * 1000)}
    elif call == "eventualRead":
        max_age = argument.get("maxAgeMs")
        if max_age is not None:
            max_age = float("inf") if max_age == "any" else max_age / 1000
        return text_of(client.objects.eventual(argument["name"]).read(max_age))
    elif call == "eventualWrite":
        client.objects.eventual(argument["name"]).write(base64.b64decode(argument["bytes"]))
    elif call == "eventualSettled":
        client.objects.eventual(argument["name"]).settled(argument["waitMs"] / 1000)
    elif call == "transaction":
        reads = []
        client.objects.transaction(steps(argument["steps"], reads), argument.get("attempts", 10))
        return reads
    elif call == "follow":
        objects = client.objects
        changes = objects.eventual(argument["name"]).changes(3) if argument["eventual"] else objects.changes(argument["name"], 3)
        return [text_of(next(changes)) for _ in range(argument["count"])]
    elif call == "append":
        client.objects.shared_fn(append(**argument), [argument["source"]], [argument["target"]])
    else:
        getattr(client, call)(argument)
    return None


def steps(steps, reads):
    """A transaction that carries out steps: reads, writes, and appends a text to what it reads."""

    def run(transaction):
        reads.clear()
        for step in steps:
            if "read" in step:
                reads.append(text_of(transaction.read(step["read"])))
            elif "write" in step:
                transaction.write(step["write"], step["text"].encode())
            elif "append" in step:
                value = transaction.read(step["append"]) or b""
                transaction.write(step["append"], value + step["text"].encode())
            elif "remove" in step:
                transaction.remove(step["remove"])
            elif "sleepMs" in step:
                time.sleep(step["sleepMs"] / 1000)
            else:
                raise ExchangeError("The function fails.")

    return run


def append(source, target, read, write, text, fails=False):
    def run(objects):
        if text == "":
            return objects.remove(write)
        objects.write(write, (objects.read(read) or b"") + text.encode())
        if fails:
            raise ExchangeError("The function fails.")

    return run


for line in sys.stdin:
    request = json.loads(line)
    try:
        result = {"result": carry_out(request["call"], request["argument"])}
    except ExchangeError as error:
        result = {"error": str(error), "type": type(error).__name__}
    if client:
        result.update(edge=client.edge, topics=client.topics, missed=client.missed)
    print(json.dumps(result), flush=True)
