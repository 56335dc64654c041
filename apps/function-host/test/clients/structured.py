"""Calls a cloud function through the Python SDK of CloudEvents, in both modes. Argument: URL. Prints what it answers."""
import json
import sys
import urllib.request

from cloudevents.v1.http import CloudEvent, from_http, to_binary, to_structured

ATTRIBUTES = {'id': 'p-1', 'source': 'https://example.com/py', 'type': 'com.example.look', 'subject': 'plot 1'}


def call(mode, data):
    more = {'datacontenttype': 'image/jpeg'} if isinstance(data, bytes) else {}
    headers, body = mode(CloudEvent({**ATTRIBUTES, **more}, data))
    request = urllib.request.Request(sys.argv[1], data=body, headers=headers, method='POST')
    with urllib.request.urlopen(request) as response:
        answer = from_http({name.lower(): value for name, value in response.headers.items()}, response.read())
    value = list(answer.data) if isinstance(answer.data, bytes) else answer.data
    return {'type': answer['type'], 'source': answer['source'], 'data': value}


print(json.dumps([
    call(to_structured, {'n': [1, 'ä']}),
    call(to_structured, b'\xff\xd8'),
    call(to_binary, {'n': 2}),
]))
