"""A CloudEvents client as the Python SDK writes and reads events; the SDK itself when it is installed. Argument: URL."""
import base64
import json
import sys
import urllib.request

url = sys.argv[1]
sdk = True
try:
    from cloudevents.http import CloudEvent, from_http, to_binary, to_structured
except ImportError:
    try:  # where version 2 of the SDK keeps that of version 1
        from cloudevents.v1.http import CloudEvent, from_http, to_binary, to_structured
    except ImportError:
        sdk = False

ATTRIBUTES = {'id': 'p-1', 'source': 'https://example.com/py', 'type': 'com.example.look', 'subject': 'Gerät 1'}


def post(headers, body):
    request = urllib.request.Request(url, data=body, headers=headers, method='POST')
    with urllib.request.urlopen(request) as answer:
        return dict(answer.headers.items()), answer.read()


def structured_by_hand(data):
    event = {'specversion': '1.0', **ATTRIBUTES}
    if isinstance(data, bytes):
        event.update(datacontenttype='image/jpeg', data_base64=base64.b64encode(data).decode())
    else:
        event['data'] = data
    return {'content-type': 'application/cloudevents+json'}, json.dumps(event).encode()


def binary_by_hand(data):
    headers = {f'ce-{name}': value for name, value in ATTRIBUTES.items() if name != 'subject'}
    return {**headers, 'ce-specversion': '1.0', 'content-type': 'application/json'}, json.dumps(data).encode()


def event(data):
    more = {'datacontenttype': 'image/jpeg'} if isinstance(data, bytes) else {}
    return CloudEvent({**ATTRIBUTES, **more}, data)


def told(headers, body):
    """What an answer says: attributes and data."""
    lower = {name.lower(): value for name, value in headers.items()}
    if sdk:
        answer = from_http(lower, body)
        data = answer.data
        return {'type': answer['type'], 'source': answer['source'], 'data': list(data) if isinstance(data, bytes) else data}
    if lower['content-type'].startswith('application/cloudevents+json'):
        answer = json.loads(body)
        data = list(base64.b64decode(answer['data_base64'])) if 'data_base64' in answer else answer['data']
        return {'type': answer['type'], 'source': answer['source'], 'data': data}
    return {'type': lower['ce-type'], 'source': lower['ce-source'], 'data': json.loads(body)}


results = [
    told(*post(*(to_structured(event({'n': [1, 'ä']})) if sdk else structured_by_hand({'n': [1, 'ä']})))),
    told(*post(*(to_structured(event(b'\xff\xd8')) if sdk else structured_by_hand(b'\xff\xd8')))),
    told(*post(*(to_binary(event({'n': 2})) if sdk else binary_by_hand({'n': 2})))),
]
print(json.dumps({'sdk': sdk, 'results': results}))
