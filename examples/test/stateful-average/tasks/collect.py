"""The means of each device, in the order of their item numbers."""


def run(inputs, args, context):
    rows = {}
    for item in sorted(inputs['mean'], key=lambda item: (item['device'], item['seq'])):
        rows.setdefault(item['device'], []).append(item['value'])
    return {'rows': rows}
