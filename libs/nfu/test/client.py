"""Talks to a server of a network function with aiocoap: readings, the latest summary, and another function.

Usage: client.py coap://HOST:PORT
"""

import asyncio
import json
import sys

import aiocoap
import cbor2


async def main(server):
    context = await aiocoap.Context.create_client_context()

    async def ask(code, path, payload=b"", content_format=None):
        message = aiocoap.Message(code=code, uri=f"{server}/{path}", payload=payload)
        if content_format is not None:
            message.opt.content_format = content_format
        return await asyncio.wait_for(context.request(message).response, 10)

    answers = []
    for value in (1.5, 2, 4.0):
        answer = await ask(aiocoap.POST, "field/temperature", cbor2.dumps(value), 60)
        answers.append(answer.code.dotted)
    latest = await ask(aiocoap.GET, "latest")
    changed = await ask(aiocoap.PUT, "nfu", b"nfu:max?window=1")
    state = json.loads((await ask(aiocoap.GET, "nfu")).payload)
    wrong = await ask(aiocoap.POST, "field/temperature", b"hello", 0)
    gone = await ask(aiocoap.DELETE, "nfu")
    await context.shutdown()
    said = {
        "answers": answers,
        "latest": cbor2.loads(latest.payload),
        "changed": changed.code.dotted,
        "code": state["code"],
        "wrong": wrong.code.dotted[0],
        "gone": gone.code.dotted,
    }
    print(json.dumps(said))


asyncio.run(main(sys.argv[1]))
